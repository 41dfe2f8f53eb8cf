"""Files in the formats that people upload, made here from hand-written content."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

import docx
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from fpdf import FPDF
from PIL import Image

ODT_NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table")
)
ODT_TYPE = "application/vnd.oasis.opendocument.text"
ODT_BODY = (
    '<text:p text:style-name="Title">On bees</text:p>'
    '<text:h text:outline-level="1">Chapter 1</text:h>'
    '<text:p>Bees<text:s text:c="3"/>fly<text:note>a footnote</text:note>.</text:p>'
    "<text:list><text:list-item><text:p>honey</text:p></text:list-item></text:list>"
    "<table:table><table:table-row><table:table-cell><text:p>wax</text:p></table:table-cell>"
    "<table:table-cell><text:p>5 kg</text:p></table:table-cell></table:table-row></table:table>"
    "<text:p>ANNEX I</text:p><text:p>List of bees</text:p>"
)
ACT = (
    '<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head>'
    "<title>L_2031.xml</title></head><body>"
    '<table><tr><td><p class="{p}hd-date">1.2.2031</p></td><td><p class="{p}hd-ti">Journal</p></td>'
    "</tr></table>"
    '<p class="{p}doc-ti">COMMISSION REGULATION (EU) 2031/77</p>'
    '<p class="{p}doc-ti">of 1 February 2031</p><p class="{p}doc-ti">on lamps in tunnels</p>'
    '<p class="{p}normal">THE EUROPEAN COMMISSION,</p>'
    '<table><tr><td><p class="{p}normal">(1)</p></td><td><p class="{p}normal">Lamps shine.</p></td>'
    "</tr></table>"
    '<p class="{p}ti-section-1">CHAPTER I</p><p class="{p}ti-art">Article 1</p>'
    '<p class="{p}sti-art">Subject   matter</p><p class="{p}normal">This Regulation\nis on lamps.</p>'
    '<p class="{p}doc-ti">ANNEX I</p><p class="{p}doc-ti">List of lamps</p>'
    "<table><tr><th>Lamp</th><th>Watts</th></tr><tr><td>Red</td><td>5</td></tr></table>"
    "</body></html>"
)


def eurlex(prefix: str = "oj-") -> bytes:
    """An act in the classes of EUR-Lex, with the prefix of today or of before October 2023."""
    return ACT.format(p=prefix).encode("utf-8")


def docx_file() -> bytes:
    document = docx.Document()
    document.add_heading("On bees", 0)
    document.add_heading("Chapter 1", 1)
    document.add_paragraph("Bees fly.")
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "wax", "5 kg"
    hidden = document.add_paragraph("Honey").add_run(" is secret")
    hidden.font.hidden = True
    document.add_paragraph("ANNEX I")
    document.add_paragraph("List of bees")
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


def docx_of(*runs: str, main: str = "document.xml") -> bytes:
    """A document of one paragraph with these runs and formulas, in a file of this name."""
    word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    paragraph = f"<w:p {word} {math}>{''.join(runs)}</w:p>"
    with zipfile.ZipFile(io.BytesIO(docx_file())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    body = members["word/document.xml"].replace(b"<w:body>", f"<w:body>{paragraph}".encode())
    members["word/document.xml"] = body
    return zip_file(
        {
            name.replace("document.xml", main): content.replace(b"document.xml", main.encode())
            for name, content in members.items()
        }
    )


def nested_docx(depth: int, n_paragraphs: int) -> bytes:
    """A small document of tables in tables: whatever lies in the last one lies in all of them."""
    start, end = "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"
    tables = start * depth + "<w:p><w:r><w:t>wax</w:t></w:r></w:p>" * n_paragraphs + end * depth
    with zipfile.ZipFile(io.BytesIO(docx_file())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    body = members["word/document.xml"].replace(b"<w:body>", f"<w:body>{tables}".encode())
    return zip_file(members | {"word/document.xml": body})


def odt_file(body: str = ODT_BODY, *, manifest: str = "<m/>", media_type: str = ODT_TYPE) -> bytes:
    xml = (
        f"<office:document-content {ODT_NAMESPACES}><office:body><office:text>{body}"
        "</office:text></office:body></office:document-content>"
    )
    return zip_file({"mimetype": media_type, "content.xml": xml, "META-INF/manifest.xml": manifest})


def zip_file(members: Mapping[str, str | bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return content.getvalue()


def pdf_file(n_pages: int = 4, *, password: str | None = None) -> bytes:
    """Pages with a running head, a title, an article each, and a page number."""
    pdf = FPDF()
    pdf.set_auto_page_break(False)
    pdf.set_font("Helvetica")
    if password is not None:
        pdf.set_encryption(owner_password=password, user_password=password)
    for number in range(1, n_pages + 1):
        pdf.add_page()
        _line(pdf, "Official Journal of Lamps", 8)
        if number == 1:
            _line(pdf, "Regulation on lamps in tunnels", 18)
        pdf.ln(6)
        _line(pdf, f"Article {number}", 14)
        for paragraph in ("First", "Second"):
            _line(pdf, f"{paragraph} rule on the brightness of lamps in long tunnels. " * 4, 11)
            pdf.ln(5)
        pdf.set_y(-20)
        _line(pdf, f"{number}", 8)
    return bytes(pdf.output())


def pdf_of_rows(
    *rows: Sequence[str], lefts: Sequence[float] = (20, 110), step: float = 5, turned: int = 0
) -> bytes:
    """Return a page on which the pieces of each row are drawn beside each other, row by row.

    Args:
        turned: to the left, in degrees.
    """
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("helvetica", size=11)
    with pdf.rotation(turned, 105, 105):
        for number, row in enumerate(rows):
            for left, text in zip(lefts, row, strict=False):
                pdf.text(left, 30 + step * number, text)
    return bytes(pdf.output())


def pdf_of_pages(*pages: Sequence[str]) -> bytes:
    """Return pages of these lines, whose cells tabs divide."""
    pdf = FPDF()
    pdf.set_font("helvetica", size=11)
    for lines in pages:
        pdf.add_page()
        for number, line in enumerate(lines):
            for column, cell in enumerate(line.split("\t")):
                pdf.text(20 + 60 * column, 30 + 5 * number, cell)
    return bytes(pdf.output())


def pdf_form(label: str, *values: str, subtype: str = "Widget", n_pages: int = 1) -> bytes:
    """Pages with a text and, below it, filled fields side by side or other annotations.

    Several pages have their numbers at the foot.
    """
    font = "<</Font<</F1 3 0 R>>>>"
    pages, fields = [], []
    objects = ["", "", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    for number in range(1, n_pages + 1):
        drawn = f"BT /F1 11 Tf 50 700 Td ({label}) Tj ET BT /F1 11 Tf 50 600 Td (Sign here.) Tj ET"
        if n_pages > 1:
            drawn += f" BT /F1 11 Tf 290 30 Td ({number}) Tj ET"
        first = len(objects) + 3
        own = [f"{first + n} 0 R" for n in range(len(values))]
        objects += (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {first - 1} 0 R"
            f"/Resources{font}/Annots[{' '.join(own)}]>>",
            f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream",
        )
        pages.append(f"{first - 2} 0 R")
        fields += own
        left = 50
        for value in values:
            right = left + 8 * len(value)
            objects.append(
                f"<</Type/Annot/Subtype/{subtype}/FT/Tx/T(field {len(objects)})/F 4/V({value})"
                f"/Contents({value})/DA(/F1 11 Tf 0 g)/Rect[{left} 660 {right} 680]>>"
            )
            left = right
    form = f"<</Fields[{' '.join(fields)}]/DR{font}/DA(/F1 11 Tf 0 g)>>"
    objects[0] = f"<</Type/Catalog/Pages 2 0 R/AcroForm{form}>>"
    objects[1] = f"<</Type/Pages/Kids[{' '.join(pages)}]/Count {n_pages}>>"
    body = "".join(f"{n} 0 obj\n{text}\nendobj\n" for n, text in enumerate(objects, start=1))
    return f"%PDF-1.7\n{body}trailer<</Size {len(objects) + 1}/Root 1 0 R>>\n%%EOF".encode()


def docx_with_notes() -> bytes:
    """A document with a text box, a table in a table, a footnote and an endnote."""
    word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    row = "<w:tr><w:tc>{}</w:tc></w:tr>"
    paragraph = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
    box = (
        f"<w:p><w:r><w:t>See the box</w:t></w:r><w:r><w:pict><w:txbxContent>"
        f"{paragraph.format('Shellfish hygiene')}{paragraph.format('Water quality')}"
        "</w:txbxContent></w:pict></w:r><w:r><w:t>for details.</w:t></w:r></w:p>"
    )
    nested = f"<w:tbl>{row.format(paragraph.format('Inner bank'))}</w:tbl>"
    table = f"<w:tbl>{row.format(paragraph.format('Bed') + nested)}</w:tbl>"
    document = docx.Document()
    body = document.element.body
    for xml in (box, table):
        body.insert(len(body) - 1, parse_xml(xml.replace(">", f" {word}>", 1)))
    for kind, text in (("footnote", "Oysters of 2031."), ("endnote", "Mussels, too.")):
        notes = (
            f'<w:{kind}s {word}><w:{kind} w:type="separator" w:id="0">{paragraph.format("----")}'
            f'</w:{kind}><w:{kind} w:id="1">{paragraph.format(text)}</w:{kind}></w:{kind}s>'
        )
        part = Part(PackURI(f"/word/{kind}s.xml"), "application/xml", notes.encode())
        part_type = f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}s"
        document.part.relate_to(part, part_type)
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


def partly_scanned_pdf(pages: str = "t p") -> bytes:
    """A page for each letter: "t" is one of text, " " an empty one, "p" shows a picture alone."""
    pdf = FPDF()
    pdf.set_font("Helvetica", size=11)
    for kind in pages:
        pdf.add_page()
        if kind == "t":
            pdf.text(20, 30, "First rule on the brightness of lamps in long tunnels.")
        elif kind == "p":
            pdf.image(Image.new("L", (8, 8)), 20, 20, 100, 100)
    return bytes(pdf.output())


def scanned_pdf(n_pages: int = 3) -> bytes:
    """Pages that show no letter that could be copied."""
    pdf = FPDF()
    for _ in range(n_pages):
        pdf.add_page()
        pdf.rect(20, 20, 100, 100, style="F")
    return bytes(pdf.output())


def ole_file(stream: str) -> bytes:
    """The beginning of an old Office container with a stream of this name."""
    return b"\xd0\xcf\x11\xe0" + bytes(600) + stream.encode("utf-16-le") + bytes(600)


def _line(pdf: FPDF, text: str, size: float) -> None:
    pdf.set_font_size(size)
    pdf.multi_cell(0, size * 0.5, text, new_x="LMARGIN", new_y="NEXT")
