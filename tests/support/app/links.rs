//! Links as they were sent: each address gets its own.

use shared::platform::{
    access_link::{self, LinkLookup},
    db::q,
    id::{LinkId, OrgId},
};

use super::TestApp;

impl TestApp {
    /// The path of an invitation (`/api/public/invite/…`) in the mail to this address. Panics without an invitation,
    /// or with those of several businesses.
    pub async fn mailed_invite_path(&self, path: &str, email: &str) -> String {
        let mut conn = self.db.acquire_reader().await.expect("a connection");
        let sql = "SELECT DISTINCT org_id FROM invite";
        let org = q!(&mut conn, fetch_one scalar OrgId, sql).expect("one business that invites");
        let proof = shared::domain::tenancy::account::invite::proof::address_proof(
            &self.settings.secret,
            org,
            &email.to_lowercase(),
        );
        format!("{path}~{proof}")
    }

    /// The link as it was sent to this address: each address gets its own token. Panics when none was sent there.
    pub async fn sent_link(&self, shown: &str, address: &str) -> String {
        let (before, token) = shown.rsplit_once('/').expect("a link");
        let mut conn = self.db.acquire_reader().await.expect("a connection");
        let secret = &self.settings.secret;
        let opened = access_link::resolve_token(&mut conn, secret, self.now(), token, &access_link::LinkKind::ALL)
            .await
            .expect("an answer");
        let LinkLookup::Active(link) = opened else { panic!("{shown} opens nothing") };
        let sql = "SELECT id FROM access_link_copy WHERE org_id = $1 AND link_id = $2 AND value = $3";
        let copy =
            q!(&mut conn, fetch_one scalar LinkId, sql, link.org_id, link.id, address).expect("it was sent there");
        format!("{before}/{}", access_link::build_token(secret, copy, link.kind))
    }

    /// `text` with each link replaced by the one sent to `address`. Panics when one was not sent there.
    pub async fn as_sent(&self, text: &str, address: &str) -> String {
        let mut words = Vec::new();
        for word in text.split(' ') {
            let is_link = word.starts_with("https://") && !word.contains('\n');
            words.push(if is_link { self.sent_link(word, address).await } else { word.to_owned() });
        }
        words.join(" ")
    }
}
