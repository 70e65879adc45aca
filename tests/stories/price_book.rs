//! The price book: edited by hand and imported from a spreadsheet; the same file again changes nothing.

use std::fmt::Write as _;

use axum::http::Method;
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
};

const ITEMS: &str = "/api/price-items";
const IMPORT: &str = "/api/price-items/import";

async fn office(app: &TestApp) -> Client {
    let shop = app.org("Acme Plumbing").await;
    app.client().signed_in(app, shop.owner()).await
}

async fn adds(office: &Client, body: &Value) -> Value {
    let answer = office.post(ITEMS, body).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()
}

async fn sends(office: &Client, path: &str, file: &[u8]) -> Answer {
    office.send(Method::POST, path, "text/csv; charset=utf-8", file.to_vec()).await
}

/// The counts of an import: added, changed, same, failed.
async fn imports(office: &Client, file: &[u8]) -> ([u64; 4], Value) {
    let answer = sends(office, IMPORT, file).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    let body = answer.json();
    (["added", "changed", "same", "failed"].map(|name| body[name].as_u64().unwrap()), body)
}

async fn names(office: &Client, query: &str) -> Vec<String> {
    let list = office.get(&format!("{ITEMS}?{query}")).await.json();
    list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

both_databases! {
    async fn price_item_is_added_searched_changed_and_archived(app) {
        let office = office(app).await;
        let valve = adds(&office, &json!({"name": " Ball valve 1/2\" ", "code": "V-12", "price": "1,012.50", "cost": 6.25, "taxRate": 8.25})).await;
        assert_eq!((&valve["name"], &valve["unit"], &valve["price"]), (&json!("Ball valve 1/2\""), &json!("each"), &json!(1012.5)));
        adds(&office, &json!({"name": "Labor", "unit": "hour", "price": 120, "description": "A plumber's\nhour"})).await;
        adds(&office, &json!({"name": "Senior discount", "price": -25})).await;
        assert_eq!(names(&office, "").await, ["Ball valve 1/2\"", "Labor", "Senior discount"]);
        assert_eq!(names(&office, "q=PLUMBER").await, ["Labor"]);
        assert_eq!(names(&office, "q=v-12").await, ["Ball valve 1/2\""]);
        let first = office.get(&format!("{ITEMS}?limit=2")).await;
        assert_eq!(first.header("x-total-count"), "3");
        let next = first.header("link").trim_start_matches("</api/price-items?").split_once('>').unwrap().0.to_owned();
        assert_eq!(names(&office, &next).await, ["Senior discount"]);

        let path = format!("{ITEMS}/{}", valve["id"].as_str().unwrap());
        let patch = async |body: Value| office.send(Method::PATCH, &path, "application/json", body.to_string().into_bytes()).await;
        let changed = patch(json!({"price": 13, "cost": null})).await.json();
        assert_eq!((&changed["price"], &changed["cost"], &changed["taxRate"], &changed["code"]), (&json!(13.0), &Value::Null, &json!(8.25), &json!("V-12")));
        let table = [
            (json!({"name": ""}), vec!["name"]),
            (json!({"price": "free", "cost": -1, "taxRate": 101}), vec!["cost", "price", "taxRate"]),
            (json!({"price": 10_000_001}), vec!["price"]),
            (json!({"code": null, "name": "LABOR"}), vec!["name"]),
            (json!({"unit": "a unit that is far too long"}), vec!["unit"]),
        ];
        for (body, fields) in table {
            let refused = patch(body.clone()).await.problem();
            assert_eq!((refused.0, refused.2), (422, fields.into_iter().map(str::to_owned).collect()), "{body}");
        }
        assert_eq!(office.post(ITEMS, &json!({"name": "Other", "price": 1, "code": "V-12"})).await.problem().2, ["code"]);
        assert_eq!(office.send(Method::DELETE, &path, "", vec![]).await.status, 204);
        assert_eq!(names(&office, "active=true").await, ["Labor", "Senior discount"]);
        assert_eq!(names(&office, "active=false").await, ["Ball valve 1/2\""]);
        assert_eq!(patch(json!({"isActive": true})).await.json()["isActive"], true);
        let refused = office.get(&format!("{ITEMS}?cursor=x&active=perhaps")).await;
        assert_eq!(refused.status, 422);
    }

    async fn price_list_import_is_previewed_then_applied_and_repeat_changes_nothing(app) {
        let office = office(app).await;
        let labor = adds(&office, &json!({"name": "Labor", "unit": "hour", "price": 100, "cost": 40})).await;
        let file = b"\xef\xbb\xbfITEM,Rate,sku,Tax rate,Notes\r\nlabor,\"$1,120.00\",,8.25%,x\r\nBall valve,12.5,V-1,,\r\n,5,V-2,,\r\nPipe,cheap,V-3,,\r\nElbow,5,V-1,,\r\n=1+1,5,V-4,,\r\n";
        let before = app.count("audit_event").await;
        let shown = sends(&office, &format!("{IMPORT}?dryRun=true"), file).await.json();
        assert_eq!((names(&office, "").await.len(), app.count("audit_event").await), (1, before), "looking changes nothing");
        let (counts, import_result) = imports(&office, file).await;
        assert_eq!((counts, &import_result), ([1, 1, 0, 4], &shown));
        let faults: Vec<_> = import_result["errors"].as_array().unwrap().iter().map(|e| (e["row"].as_i64().unwrap(), e["column"].as_str().unwrap())).collect();
        assert_eq!(faults, [(4, "ITEM"), (5, "Rate"), (6, "sku"), (7, "ITEM")]);
        assert_eq!(import_result["errors"][2]["message"], "Row 3 is about the same item");
        assert_eq!(import_result["ignored"], json!(["Notes"]), "an unknown column is reported as ignored");
        assert_eq!((&import_result["rows"][0]["outcome"], &import_result["rows"][1]["outcome"]), (&json!("changed"), &json!("added")));
        let list = office.get(ITEMS).await.json();
        let now = &list[1];
        assert_eq!((&now["id"], &now["name"], &now["price"], &now["taxRate"]), (&labor["id"], &json!("labor"), &json!(1120.0), &json!(8.25)));
        assert_eq!((&now["unit"], &now["cost"]), (&json!("hour"), &json!(40.0)), "fields without a column are unchanged");
        assert_eq!(imports(&office, file).await.0, [0, 0, 2, 4]);
        // A deactivated item is active again when a list names it, and items not in the list stay.
        let path = format!("{ITEMS}/{}", labor["id"].as_str().unwrap());
        office.send(Method::DELETE, &path, "", vec![]).await;
        assert_eq!(imports(&office, b"Name\tPrice\nLabor\t100\n").await.0, [0, 1, 0, 0]);
        assert_eq!(names(&office, "active=true").await, ["Ball valve", "Labor"]);
    }

    async fn invalid_price_list_file_is_refused_whole(app) {
        let office = office(app).await;
        for file in [&b""[..], b"\n , ,\n", b"Name,Cost\nA,5\n", b"Name,Item,Price\nA,B,5\n", b"\x89PNG\r\n\x1a\n\x00"] {
            let refused = sends(&office, IMPORT, file).await.problem();
            assert_eq!((refused.0, refused.2), (422, vec!["file".to_owned()]), "{file:?}");
        }
        let long = format!("Name,Price\n{}", "A,1\n".repeat(5_001));
        assert_eq!(sends(&office, IMPORT, long.as_bytes()).await.problem().2, ["file"]);
        let heavy = format!("Name,Price\n{}", "A".repeat(2 * 1024 * 1024));
        assert_eq!(sends(&office, IMPORT, heavy.as_bytes()).await.status, 413);
        let as_json = office.post(IMPORT, &json!({})).await;
        assert_eq!((as_json.status.as_u16(), app.count("price_item").await), (415, 0));
    }

    async fn import_of_1200_rows_is_applied_and_lists_fifty_of_them(app) {
        let office = office(app).await;
        let mut file = "Code,Name,Description,Unit,Price,Cost,Tax\n".to_owned();
        for n in 0..1_200 {
            writeln!(file, "P-{n},Part {n},A part,each,{n}.50,1,8.25").unwrap();
        }
        let (counts, import_result) = imports(&office, file.as_bytes()).await;
        assert_eq!((counts, import_result["rows"].as_array().unwrap().len()), ([1_200, 0, 0, 0], 50));
        assert_eq!(imports(&office, file.as_bytes()).await.0, [0, 0, 1_200, 0]);
    }

    async fn repeated_import_of_random_file_changes_nothing(app) {
        let office = office(app).await;
        let config = Config { failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        // Few names and codes, so that rows often match each other and the price book.
        let row = ("[AB]?", "[xyXY]", 0_u8..3);
        let files = prop::collection::vec(row, 1..8);
        for _ in 0..12 {
            let rows = files.new_tree(&mut runner).unwrap().current();
            let mut file = "Code,Name,Price\n".to_owned();
            for (code, name, price) in &rows {
                writeln!(file, "{code},{name},{price}").unwrap();
            }
            let ([added, changed, same, failed], _) = imports(&office, file.as_bytes()).await;
            assert_eq!(usize::try_from(added + changed + same + failed).unwrap(), rows.len(), "{file}");
            let after = office.get(ITEMS).await.json();
            let ([added, changed, ..], import_result) = imports(&office, file.as_bytes()).await;
            assert_eq!([added, changed], [0, 0], "{file}\n{import_result}");
            assert_eq!(office.get(ITEMS).await.json(), after, "{file}");
        }
    }
}
