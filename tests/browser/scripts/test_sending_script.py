"""How the browser sends decisions and hears of others', one script at a time, without a browser."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

WORKBENCH = ("tree/workbench.js", "tree/state.js", "tree/states.js", "shared/queue.js")


def test_an_answer_that_the_page_fails_on_does_not_end_the_sending() -> None:
    body = """
    const queue = { size: 1, message: () => [] };
    let taken = 0;
    const post = new DecisionPost(queue, () => ({ document: "a" }), () => {
      taken += 1; queue.size = 0; if (taken === 1) throw new Error("a fault of the page"); });
    post.configure("api/decisions");
    answers = [{ server: "s" }, { server: "s" }];
    const failed = await post.send().catch((error) => error.message);
    queue.size = 1;
    await post.send();
    return [failed, taken, asked.length, post.sending];
    """
    assert run(body, "shared/post.js") == ["a fault of the page", 2, 2, False]


def test_what_is_decided_while_a_message_is_under_way_goes_with_the_next_one() -> None:
    body = """
    const queue = { size: 2, message: () => [] };
    const post = new DecisionPost(queue, () => ({}), () => { queue.size -= 1; });
    post.configure("api/decisions");
    answers = [{}, {}];
    const first = post.send();
    await post.send();                       // the first is still under way
    await first;
    return [asked.length, queue.size, heard];
    """
    assert run(body, "shared/post.js") == [2, 0, []]


def test_a_server_that_is_away_is_asked_again_by_the_queue_and_told_of_when_it_is_another() -> None:
    body = """
    const queue = { size: 1, message: () => [] };
    const post = new DecisionPost(queue, () => ({}), () => { queue.size = 0; });
    post.configure("api/decisions");
    await post.send();
    const afterNone = queue.size;
    answers = [{ server: "another" }];
    await post.send();
    return [afterNone, queue.size, heard];
    """
    assert run(body, "shared/post.js") == [1, 0, ["another"]]


def test_news_of_other_sessions_is_asked_for_in_the_language_of_the_page() -> None:
    body = """
    const news = [];
    const others = new OtherSessions(() => 3, (one) => news.push(one.version));
    others.configure("api/decisions", "act 1", "de");
    answers = [{ server: "s", version: 4, decisions: {} }, { version: 3, decisions: {} }];
    await others.ask(); await others.ask();
    others.stop();
    return [new URL(asked[0].address).searchParams.toString(), news];
    """
    assert run(body, "shared/post.js", "tree/session.js") == ["document=act+1&after=3&lang=de", [4]]


def test_a_component_that_leaves_late_does_not_take_the_queue_from_the_next() -> None:
    body = """
    const sent = [];
    const queue = new DecisionQueue(), one = {}, next = {};
    queue.restore = () => {};
    queue.connect(one, () => sent.push("one"), () => {});
    queue.connect(next, () => sent.push("next"), () => {});
    queue.disconnect(one);
    queue.add("a", "accept", "cod");
    queue.disconnect(next);
    queue.add("a", "accept", "bread");
    return [sent, queue.size];
    """
    assert run(body, "shared/queue.js") == [["next"], 2]


def test_only_the_page_that_finished_a_document_goes_on_to_the_next() -> None:
    body = """
    globalThis.location = {};
    const page = Object.create(Workbench.prototype), gone = [], state = { ...newState(), documentId: "a", version: 1 };
    const asks = { decided() {} }, tree = { root: { isConnected: false } };
    Object.assign(page, { state, learn() {}, render() {}, group: asks,
      context: { state, tree, tell() {}, check: asks, hints: asks, go({ to }) { gone.push(to); } } });
    const answer = { document: "a", receipts: {}, finished: true, next: "b", version: 2, decisions: {} };
    state.isFinishing = false;
    page.answered(answer);                   // sent again, or finished by another tab
    const before = gone.length;
    state.isFinishing = true;
    page.answered({ ...answer, document: "c" });
    page.answered(answer);
    return [before, gone];
    """
    assert run(body, *WORKBENCH) == [0, ["b"]]


def test_what_is_not_ready_yet_is_asked_for_again_as_long_as_it_is_wanted() -> None:
    body = """
    const waits = [], answer = (status, wait) => ({ status, headers: { get: () => wait } });
    globalThis.setTimeout = (done, ms) => { waits.push(Math.floor(ms / 1000)); done(); };
    globalThis.fetch = async (address) => { asked.push(new URL(address)); return answers.shift(); };
    const patient = (isWanted) => askPatiently("api/evidence", { concept: "c" }, isWanted);
    answers = [answer(503, "1"), answer(503, "2"), answer(200, null)];
    const found = await patient(() => true);
    answers = [answer(503, "1"), answer(200, null)];
    const left = await patient(() => false);
    answers = [answer(503, null)];
    const failed = await patient(() => true);
    const tabs = new Set(asked.map((address) => address.searchParams.get("tab")));
    return [found.status, left.status, failed.status, waits, asked.length, tabs.size, tabs.has("")];
    """
    found, left, failed, waits, asked, tabs, is_nameless = run(body, "shared/server.js")
    assert (found, left, failed) == (200, 503, 503)
    assert (waits[0], len(waits), asked) == (1, 2, 5)
    assert (tabs, is_nameless) == (1, False)


def test_what_an_undo_on_its_way_takes_back_does_not_come_again_before_it_is_answered() -> None:
    body = """
    const accepted = { state: "accepted" };
    const queue = QUEUE;
    queue.retryAfter = () => {};
    const seen = [];
    const state = { ...newState(), documentId: "act", version: 1 }, asks = { decided() {} };
    const page = { state, addNodes() {}, group: asks, context: { state, tell() {}, check: asks, hints: asks },
      learn: Workbench.prototype.learn, take: Workbench.prototype.take, ask: Workbench.prototype.ask,
      render() { seen.push([...decisionsNow(state.stored, queue.pending("act")).keys()]); } };
    const answer = (settled, version, ids) => Workbench.prototype.answered.call(page, {
      receipts: { [queue.message()[0].client]: { settled, refused: [], undone: [] } }, document: "act", version,
      decisions: Object.fromEntries(ids.map((id) => [id, accepted])), status: "in progress" });
    queue.add("act", "accept", "sole"); queue.add("act", "accept", "cod"); queue.add("act", "undo", "");
    page.render();
    answer([1, 2], 3, ["sole", "cod"]);     // stored before the undo was sent
    page.learn({ version: 3, decisions: { sole: accepted, cod: accepted }, status: "in progress" });
    answer([3], 4, ["sole"]);
    queue.add("act", "undo", "");           // of what is stored: the server says what it is
    page.render();
    answer([4], 5, []);
    return [seen, state.version, queue.size];
    """
    seen = [["sole"]] * 5 + [[]]
    assert run(body, *WORKBENCH) == [seen, 5, 0]


def test_an_undo_on_its_way_leaves_alone_what_waits_of_another_project() -> None:
    body = """
    const queue = new DecisionQueue();
    queue.retryAfter = () => {};
    PAGE.project = 1; queue.add("act", "accept", "sole");
    PAGE.project = 2; queue.add("note", "accept", "asthma");
    PAGE.project = 1; queue.add("act", "undo", "");
    const clients = new Set(queue.message().map(({ client }) => client.split(":")[0]));
    const sent = queue.message().flatMap((batch) => batch.operations.flatMap(Object.keys));
    return [queue.pending("act").length, queue.pending("note").length, clients.size, sent.includes("project")];
    """
    assert run(body, "shared/queue.js", "shared/server.js") == [0, 1, 1, False]
