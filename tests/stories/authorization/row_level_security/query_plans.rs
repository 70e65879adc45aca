//! Query plans of the serving role: as fast as without row-level security.

use shared::{
    ops::schema::SCHEMA,
    platform::{
        db::{Db, DbConfig, describe_schema, q, qb, tenant_scope},
        id::OrgId,
    },
};
use tests::{app::TestApp, database::Postgres};

use super::with_ann_and_bo;

async fn plan(db: &Db, org: OrgId, rest: &str) -> String {
    let mut conn = db.acquire_reader().await.unwrap();
    let lines = qb!(&mut conn, fetch_all scalar String, |b| {
        b.push("EXPLAIN SELECT id FROM lead WHERE org_id = ").push_bind(org).push(rest);
    });
    lines.unwrap().join("\n")
}

/// The rows that the first line of a plan expects.
fn expected(plan: &str) -> i64 {
    let (_, rest) = plan.split_once("rows=").unwrap();
    rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

#[tokio::test]
async fn query_plan_is_unaffected_by_row_level_security() {
    tenant_scope::across_tenants(Box::pin(async {
        let postgres = Postgres::migrated().await;
        let app = TestApp::on(&postgres).await;
        let [(acme, _), (best, _)] = with_ann_and_bo(&app).await;
        let columns: Vec<String> =
            describe_schema(&app.db).await.unwrap().into_iter().filter(|c| c.0 == "lead").map(|c| c.1).collect();
        let copied = columns.iter().map(|name| match name.as_str() {
            "id" => "gen_random_uuid()".to_owned(),
            "created_at" => "created_at - n * INTERVAL '1 minute'".to_owned(),
            name => format!("\"{name}\""),
        });
        let (into, from) = (columns.join("\", \""), copied.collect::<Vec<_>>().join(", "));
        app.within(async |tx| {
            Ok(qb!(tx, execute, |b| {
                b.push("INSERT INTO lead (\"").push(&into).push("\") SELECT ").push(&from);
                b.push(" FROM lead, generate_series(1, 5000) n");
            })?)
        })
        .await
        .unwrap();
        let owner = Db::connect(&DbConfig::from_url(&postgres.as_owner()), &SCHEMA).await.unwrap();
        q!(&mut owner.acquire_reader().await.unwrap(), execute, "ANALYZE lead").unwrap();
        owner.close().await;
        let above = Db::connect(&DbConfig::from_url(&postgres.as_superuser()), &SCHEMA).await.unwrap();
        for org in [acme.id(), best.id()] {
            let behind = tenant_scope::with_tenant(org, plan(&app.db, org, "")).await;
            let without = plan(&above, org, "").await;
            assert!(behind.contains("InitPlan"), "the setting is read once: {behind}");
            assert!(expected(&behind) * 100 >= expected(&without) * 98, "{behind}\n{without}");
            let newest = " ORDER BY last_touch_at DESC, id DESC LIMIT 50";
            let newest = tenant_scope::with_tenant(org, plan(&app.db, org, newest)).await;
            assert!(newest.contains("using lead_newest") && !newest.contains("Sort"), "{newest}");
        }
        above.close().await;
        app.finish().await;
        postgres.remove().await;
    }))
    .await;
}
