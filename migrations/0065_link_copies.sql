-- Copies of a link, each with a token of its own (shared/src/link/copy.rs): what was sent to one address, and what was
-- handed to whoever filled in a public form. The link itself, which the business sees and copies, names no address.
CREATE TABLE link_copy (
    org_id   UUID NOT NULL,
    id       UUID NOT NULL,
    link_id  UUID NOT NULL,
    -- phone and email: it was sent to `value`. form: a public form was answered with it, and `value` is empty.
    kind     TEXT NOT NULL CHECK (kind IN ('phone', 'email', 'form')),
    value    TEXT NOT NULL,
    made_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, link_id) REFERENCES link (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX link_copy_by_id ON link_copy (id);
CREATE UNIQUE INDEX link_copy_once ON link_copy (org_id, link_id, kind, value);
