BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0012');
CREATE TABLE decision (
	document_id VARCHAR(255) NOT NULL, 
	concept_id VARCHAR(255) NOT NULL, 
	event_id INTEGER NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	added BOOLEAN NOT NULL, main BOOLEAN DEFAULT 0 NOT NULL, present VARCHAR(1), performed_on DATE, place INTEGER, 
	CONSTRAINT pk_decision PRIMARY KEY (document_id, concept_id), 
	CONSTRAINT fk_decision_document_id_document FOREIGN KEY(document_id) REFERENCES document (document_id), 
	CONSTRAINT fk_decision_event_id_decision_event FOREIGN KEY(event_id) REFERENCES decision_event (event_id)
);
INSERT INTO "decision" VALUES('act','c1',1,'accepted',0,0,NULL,NULL,NULL);
INSERT INTO "decision" VALUES('act','c9',5,'accepted',1,0,NULL,NULL,NULL);
CREATE TABLE decision_event (
	event_id INTEGER NOT NULL, 
	client_id VARCHAR(64) NOT NULL, 
	sequence BIGINT NOT NULL, 
	group_id VARCHAR(64), 
	document_id VARCHAR(255) NOT NULL, 
	person_id INTEGER NOT NULL, 
	action VARCHAR(16) NOT NULL, 
	concept_id VARCHAR(255), 
	decided_at DATETIME NOT NULL, 
	run_id INTEGER, 
	probability FLOAT, 
	rank INTEGER, 
	source VARCHAR(255), 
	undone_event_id INTEGER, position BIGINT DEFAULT '0' NOT NULL, shown INTEGER, value JSON, 
	CONSTRAINT pk_decision_event PRIMARY KEY (event_id), 
	CONSTRAINT uq_decision_event_client_id UNIQUE (client_id, sequence), 
	CONSTRAINT fk_decision_event_document_id_document FOREIGN KEY(document_id) REFERENCES document (document_id), 
	CONSTRAINT fk_decision_event_person_id_person FOREIGN KEY(person_id) REFERENCES person (person_id), 
	CONSTRAINT fk_decision_event_run_id_prediction_run FOREIGN KEY(run_id) REFERENCES prediction_run (run_id), 
	CONSTRAINT fk_decision_event_undone_event_id_decision_event FOREIGN KEY(undone_event_id) REFERENCES decision_event (event_id)
);
INSERT INTO "decision_event" VALUES(1,'tab',1,NULL,'act',1,'accept','c1','2026-05-04 09:08:07.000006',1,0.8,1,'guided',NULL,1,NULL,NULL);
INSERT INTO "decision_event" VALUES(2,'tab',2,'g','act',1,'reject','c2','2026-05-04 09:08:07.000006',1,0.4,2,'linear',NULL,2,NULL,NULL);
INSERT INTO "decision_event" VALUES(3,'tab',3,'g','act',1,'reject','c3','2026-05-04 09:08:07.000006',1,NULL,NULL,NULL,NULL,3,NULL,NULL);
INSERT INTO "decision_event" VALUES(4,'tab',4,NULL,'act',1,'undo',NULL,'2026-05-04 09:08:07.000006',1,NULL,NULL,NULL,3,4,NULL,NULL);
INSERT INTO "decision_event" VALUES(5,'theirs',2,NULL,'act',2,'add','c9','2026-05-04 09:08:07.000006',1,NULL,NULL,NULL,NULL,5,NULL,NULL);
INSERT INTO "decision_event" VALUES(6,'theirs',1,NULL,'act',2,'reject','c9','2026-05-04 09:08:07.000006',1,NULL,NULL,NULL,NULL,5,NULL,NULL);
CREATE TABLE document (
	document_id VARCHAR(255) NOT NULL, 
	project_id INTEGER NOT NULL, 
	title TEXT NOT NULL, 
	fingerprint VARCHAR(64) NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	removed_at DATETIME, text_fingerprint VARCHAR(64) DEFAULT '' NOT NULL, n_characters INTEGER DEFAULT '0' NOT NULL, batch TEXT, comment TEXT DEFAULT '' NOT NULL, finished_at DATETIME, version INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_document PRIMARY KEY (document_id), 
	CONSTRAINT fk_document_project_id_project FOREIGN KEY(project_id) REFERENCES project (project_id)
);
INSERT INTO "document" VALUES('act',1,'Olives','f1','2026-05-04 09:08:07.000006','2026-05-04 09:08:07.000006',NULL,'68bee12f106d3ca229a9adf292095cab1513b7c825d08badd32fee82ba83f5f0',21,NULL,'',NULL,6);
INSERT INTO "document" VALUES('bare',1,'Only a	title','f2','2026-05-04 09:08:07.000006','2026-05-04 09:08:07.000006','2026-05-04 09:08:07.000006','66a34d0313f374f0e101bc99e74b48fde0c95f25c035d57dafa8fb943f784593',0,NULL,'',NULL,0);
CREATE TABLE document_part (
	document_id VARCHAR(255) NOT NULL, 
	position INTEGER NOT NULL, 
	kind VARCHAR(255) NOT NULL, 
	part_date DATE, 
	text TEXT NOT NULL, title TEXT DEFAULT '' NOT NULL, headings JSON DEFAULT '[]' NOT NULL, 
	CONSTRAINT pk_document_part PRIMARY KEY (document_id, position), 
	CONSTRAINT fk_document_part_document_id_document FOREIGN KEY(document_id) REFERENCES document (document_id)
);
INSERT INTO "document_part" VALUES('act',0,'body',NULL,'On olives 🫒.','','[]');
INSERT INTO "document_part" VALUES('act',1,'annex','2017-03-01','A list.','','[]');
CREATE TABLE given_concept (
	document_id VARCHAR(255) NOT NULL, 
	concept_id VARCHAR(255) NOT NULL, 
	position INTEGER NOT NULL, 
	CONSTRAINT pk_given_concept PRIMARY KEY (document_id, concept_id), 
	CONSTRAINT fk_given_concept_document_id_document FOREIGN KEY(document_id) REFERENCES document (document_id)
);
CREATE TABLE job (
	job_id INTEGER NOT NULL, 
	kind VARCHAR(32) NOT NULL, 
	project_id INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	settings JSON NOT NULL, 
	CONSTRAINT pk_job PRIMARY KEY (job_id), 
	CONSTRAINT fk_job_project_id_project FOREIGN KEY(project_id) REFERENCES project (project_id)
);
CREATE TABLE job_document (
	job_id INTEGER NOT NULL, 
	document_id VARCHAR(255) NOT NULL, 
	position INTEGER NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	problem TEXT, 
	CONSTRAINT pk_job_document PRIMARY KEY (job_id, document_id), 
	CONSTRAINT fk_job_document_job_id_job FOREIGN KEY(job_id) REFERENCES job (job_id), 
	CONSTRAINT fk_job_document_document_id_document FOREIGN KEY(document_id) REFERENCES document (document_id)
);
CREATE TABLE model_change (
	change_id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	changed_at DATETIME NOT NULL, 
	bundle VARCHAR(255), 
	former VARCHAR(255), 
	reason TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_model_change PRIMARY KEY (change_id), 
	CONSTRAINT fk_model_change_project_id_project FOREIGN KEY(project_id) REFERENCES project (project_id), 
	CONSTRAINT fk_model_change_person_id_person FOREIGN KEY(person_id) REFERENCES person (person_id)
);
CREATE TABLE person (
	person_id INTEGER NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_person PRIMARY KEY (person_id), 
	CONSTRAINT uq_person_name UNIQUE (name)
);
INSERT INTO "person" VALUES(1,'me','2026-05-04 09:08:07.000006');
INSERT INTO "person" VALUES(2,'colleague','2026-05-04 09:08:07.000006');
CREATE TABLE prediction_run (
	run_id INTEGER NOT NULL, 
	document_id VARCHAR(255) NOT NULL, 
	created_at DATETIME NOT NULL, 
	bundle_hash VARCHAR(255) NOT NULL, 
	vocabulary_version VARCHAR(255) NOT NULL, 
	settings JSON NOT NULL, 
	branch_probability JSON NOT NULL, 
	n_suggestions INTEGER NOT NULL, 
	n_tokens INTEGER NOT NULL, 
	n_tokens_read INTEGER NOT NULL, 
	n_windows INTEGER NOT NULL, 
	seconds FLOAT NOT NULL, own_probability JSON DEFAULT '{}' NOT NULL, model_probability JSON, 
	CONSTRAINT pk_prediction_run PRIMARY KEY (run_id), 
	CONSTRAINT fk_prediction_run_document_id_document FOREIGN KEY(document_id) REFERENCES document (document_id)
);
INSERT INTO "prediction_run" VALUES(1,'act','2026-05-04 09:08:07.000006','hash','4.9','{"limit": 2}','{"top": 0.9}',2,12,12,1,0.5,'{}',NULL);
CREATE TABLE preference (
	person_id INTEGER NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	value JSON NOT NULL, 
	CONSTRAINT pk_preference PRIMARY KEY (person_id, name), 
	CONSTRAINT fk_preference_person_id_person FOREIGN KEY(person_id) REFERENCES person (person_id)
);
CREATE TABLE project (
	project_id INTEGER NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	vocabulary_id VARCHAR(255) NOT NULL, 
	created_at DATETIME NOT NULL, bundle VARCHAR(255), vocabulary_choice VARCHAR(255), archived_at DATETIME, former_choices JSON, learning JSON, companions JSON, elsewhere JSON, groups_stays BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_project PRIMARY KEY (project_id), 
	CONSTRAINT fk_project_vocabulary_id_vocabulary FOREIGN KEY(vocabulary_id) REFERENCES vocabulary (vocabulary_id)
);
INSERT INTO "project" VALUES(1,'eurovoc','eurovoc','2026-05-04 09:08:07.000006',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
CREATE TABLE proposed_term (
	term_id INTEGER NOT NULL, 
	document_id VARCHAR(255) NOT NULL, 
	person_id INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	note TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	withdrawn_at DATETIME, 
	CONSTRAINT pk_proposed_term PRIMARY KEY (term_id), 
	CONSTRAINT fk_proposed_term_document_id_document FOREIGN KEY(document_id) REFERENCES document (document_id), 
	CONSTRAINT fk_proposed_term_person_id_person FOREIGN KEY(person_id) REFERENCES person (person_id)
);
CREATE TABLE rule (
	rule_id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	concept_id VARCHAR(255) NOT NULL, 
	kind VARCHAR(32) NOT NULL, 
	person_id INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	lifted_at DATETIME, 
	CONSTRAINT pk_rule PRIMARY KEY (rule_id), 
	CONSTRAINT fk_rule_project_id_project FOREIGN KEY(project_id) REFERENCES project (project_id), 
	CONSTRAINT fk_rule_person_id_person FOREIGN KEY(person_id) REFERENCES person (person_id)
);
CREATE TABLE stay (
	document_id VARCHAR(255) NOT NULL, 
	admitted DATE, 
	discharged DATE, 
	age_years INTEGER, 
	sex VARCHAR(16) DEFAULT '' NOT NULL, 
	disposition VARCHAR(2) DEFAULT '' NOT NULL, 
	patient VARCHAR(255), 
	patient_system VARCHAR(255), 
	encounter VARCHAR(255), 
	encounter_system VARCHAR(255), 
	CONSTRAINT pk_stay PRIMARY KEY (document_id), 
	CONSTRAINT fk_stay_document_id_document FOREIGN KEY(document_id) REFERENCES document (document_id)
);
CREATE TABLE suggestion (
	run_id INTEGER NOT NULL, 
	concept_id VARCHAR(255) NOT NULL, 
	rank INTEGER NOT NULL, 
	probability FLOAT NOT NULL, 
	branch_probability FLOAT NOT NULL, 
	source VARCHAR(255) NOT NULL, 
	uri TEXT NOT NULL, 
	notation TEXT, 
	pref_label TEXT NOT NULL, 
	CONSTRAINT pk_suggestion PRIMARY KEY (run_id, concept_id), 
	CONSTRAINT fk_suggestion_run_id_prediction_run FOREIGN KEY(run_id) REFERENCES prediction_run (run_id)
);
INSERT INTO "suggestion" VALUES(1,'c1',1,0.8,0.85,'guided','u1',NULL,'one');
INSERT INTO "suggestion" VALUES(1,'c2',2,0.4,0.45,'linear','u2','N2','two');
CREATE TABLE undone_event (
	event_id INTEGER NOT NULL, 
	undo_event_id INTEGER NOT NULL, 
	CONSTRAINT pk_undone_event PRIMARY KEY (event_id), 
	CONSTRAINT fk_undone_event_event_id_decision_event FOREIGN KEY(event_id) REFERENCES decision_event (event_id), 
	CONSTRAINT fk_undone_event_undo_event_id_decision_event FOREIGN KEY(undo_event_id) REFERENCES decision_event (event_id)
);
INSERT INTO "undone_event" VALUES(2,4);
INSERT INTO "undone_event" VALUES(3,4);
CREATE TABLE vocabulary (
	vocabulary_id VARCHAR(255) NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_vocabulary PRIMARY KEY (vocabulary_id)
);
INSERT INTO "vocabulary" VALUES('eurovoc','2026-05-04 09:08:07.000006');
CREATE INDEX ix_document_project_id ON document (project_id);
CREATE INDEX ix_prediction_run_document_id ON prediction_run (document_id);
CREATE INDEX ix_document_text_fingerprint ON document (text_fingerprint);
CREATE INDEX ix_decision_event_concept ON decision_event (document_id, concept_id);
CREATE INDEX ix_decision_event_person ON decision_event (person_id, position);
CREATE INDEX ix_decision_event_group_id ON decision_event (group_id);
CREATE INDEX ix_decision_concept_id ON decision (concept_id);
CREATE INDEX ix_undone_event_undo_event_id ON undone_event (undo_event_id);
CREATE INDEX ix_proposed_term_document_id ON proposed_term (document_id);
CREATE INDEX ix_rule_project_id ON rule (project_id);
CREATE INDEX ix_job_project_id ON job (project_id);
CREATE INDEX ix_job_document_document_id ON job_document (document_id);
CREATE INDEX ix_document_newest ON document (project_id, removed_at, created_at DESC, document_id);
CREATE INDEX ix_model_change_project_id ON model_change (project_id);
CREATE INDEX ix_suggestion_concept ON suggestion (concept_id, rank, run_id);
COMMIT;
