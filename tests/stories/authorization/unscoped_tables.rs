//! Tables of PostgreSQL without a policy are read without a business: they hold no token of a link that was mailed.

use serde_json::json;
use shared::{
    domain::tenancy::registration,
    platform::db::{Db, tenant_scope},
};
use sqlx::{AssertSqlSafe, PgPool};
use tests::{addresses::email, app::TestApp};

const COLUMNS: &str =
    "SELECT c.table_name::text, c.column_name::text, c.data_type::text FROM information_schema.columns c
    JOIN pg_class t ON t.relname = c.table_name AND t.relnamespace = current_schema()::regnamespace
    WHERE c.table_schema = current_schema() AND t.relkind = 'r' AND NOT t.relrowsecurity
        AND c.data_type IN ('text', 'jsonb', 'bytea') AND c.table_name NOT LIKE '\\_sqlx%' ESCAPE '\\' ORDER BY 1, 2";

/// All texts of the tables without a policy, each with its place.
async fn unscoped_texts(pool: &PgPool) -> Vec<String> {
    let columns: Vec<(String, String, String)> = sqlx::query_as(COLUMNS).fetch_all(pool).await.unwrap();
    assert!(columns.iter().any(|(table, ..)| table == "install_mail"), "{columns:?}");
    let mut texts = Vec::new();
    for (table, column, kind) in columns {
        let shown =
            if kind == "bytea" { format!("encode(\"{column}\", 'escape')") } else { format!("\"{column}\"::text") };
        let sql = format!("SELECT {shown} FROM \"{table}\" WHERE \"{column}\" IS NOT NULL");
        let cells: Vec<String> = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(pool).await.unwrap();
        texts.extend(cells.into_iter().map(|cell| format!("{table}.{column}: {cell}")));
    }
    texts
}

#[tokio::test]
async fn tables_without_policy_hold_no_token_of_a_mailed_link() {
    tenant_scope::across_tenants(Box::pin(async {
        let app = TestApp::on_postgres().await;
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(&app, shop.owner()).await;
        let asked = json!({"name": "Dave", "email": "dave@crew.example", "role": "crew"});
        let invite = owner.post("/api/team/invites", &asked).await.json();
        let token = invite["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let stranger = app.client();
        // Without a proof of the address the link is mailed there.
        let joins = json!({"name": "Dave", "email": "third@crew.example", "password": "copper-elbow-joint"});
        assert_eq!(stranger.post(&format!("/api/public/invite/{token}"), &joins).await.status, 202);
        let form = json!({"name": "Rita Roof", "email": "rita@roofs.example", "password": "copper joint 42", "orgName": "Roofs"});
        assert_eq!(stranger.post("/api/auth/register", &form).await.status, 201);
        assert_eq!(stranger.post("/api/auth/reset", &json!({"email": shop.owner().email})).await.status, 202);
        let (secret, public_url, to) = (&app.settings.secret, &app.settings.public_url, email("new@box.example"));
        app.within(async |tx| registration::send_invitation(tx, &app.origin, secret, public_url, &to).await)
            .await
            .unwrap();
        let Db::Postgres { read: pool, .. } = &app.db else { panic!("PostgreSQL") };
        let mut texts = unscoped_texts(pool).await;
        app.run_tasks().await;
        texts.extend(unscoped_texts(pool).await);
        let letters = app.mail.accepted_messages();
        for page in ["/join/", "/reset-password#", "/confirm-email#", "/register#"] {
            let found: Vec<&str> = letters
                .iter()
                .flat_map(|letter| letter.text.split(page).skip(1))
                .filter_map(|rest| rest.split(|c: char| c.is_whitespace() || c == '~').next())
                .collect();
            assert!(!found.is_empty() && found.iter().all(|token| token.len() > 15), "{page}: {found:?}");
            for token in found {
                let holding: Vec<&String> = texts.iter().filter(|text| text.contains(token)).collect();
                assert!(holding.is_empty(), "{page}: {holding:?}");
            }
        }
        app.finish().await;
    }))
    .await;
}
