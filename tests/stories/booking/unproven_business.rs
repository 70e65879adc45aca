//! The booking page of a business whose owner has not confirmed the email address.

use shared::domain::tenancy::trust_level::public_requests::REQUESTS_A_DAY;
use tests::http::Multipart;

use super::*;

const FORM: &str = "/book/acme-plumbing";
const NOTES: [(&str, &str); 2] = [
    ("?lang=en", "This business has not confirmed its email address yet."),
    ("?lang=es", "Esta empresa todavía no ha confirmado su correo electrónico."),
];

async fn loses_its_proof(app: &TestApp, work: &BookingFixture) {
    let sql = "DELETE FROM org_trust WHERE org_id = $1";
    app.within(async |tx| Ok(q!(tx, execute, sql, work.shop.id())?)).await.unwrap();
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).unwrap()
}

fn value_of(page: &str, name: &str) -> String {
    let (_, rest) = page.split_once(&format!("name=\"{name}\" value=\"")).unwrap_or_else(|| panic!("{name} in {page}"));
    rest.split('"').next().unwrap().to_owned()
}

both_databases! {
    async fn page_of_unproven_business_says_so_in_both_languages(app) {
        let work = BookingFixture::of(app).await;
        for (language, note) in NOTES {
            let page = text(&work.visitor.get(&format!("{FORM}{language}")).await);
            assert!(!page.contains(note), "{page}");
        }
        loses_its_proof(app, &work).await;
        for (language, note) in NOTES {
            let page = text(&work.visitor.get(&format!("{FORM}{language}")).await);
            assert!(page.contains(note), "{page}");
        }
    }

    async fn booking_beyond_the_day_of_an_unproven_business_keeps_what_was_typed(app) {
        let work = BookingFixture::of(app).await;
        let sql = "UPDATE org SET phone = '+15125550100' WHERE id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, work.shop.id())?)).await.unwrap();
        loses_its_proof(app, &work).await;
        for n in 0..REQUESTS_A_DAY {
            let form = Multipart::ann("acme-plumbing")
                .text("phone", &format!("(512) 555-{:04}", 1000 + n))
                .text("email", &format!("v{n}@customer.example"));
            assert_eq!(app.client().here().post_form("/api/leads/create", form).await.status, 201, "{n}");
        }
        let wish = [("service", "plumbing"), ("zip", "78701"), ("startsAt", "2026-09-18T15:00:00+00:00")];
        let chosen = posts(&work.visitor, &format!("{FORM}/hold"), &wish).await;
        assert_eq!(chosen.status, 303, "{}", text(&chosen));
        let fill = text(&work.visitor.get(chosen.header("location")).await);
        let (hold, token) = (value_of(&fill, "hold"), value_of(&fill, "formToken"));
        app.advance(Duration::seconds(20));
        let fields = [
            ("hold", hold.as_str()), ("service", "plumbing"), ("zip", "78701"), ("formToken", token.as_str()),
            ("name", "Ann Lee"), ("phone", "5125550142"), ("address", "12 Elm St"),
        ];
        let refused = posts(&work.visitor, FORM, &fields).await;
        let shown = text(&refused);
        assert_eq!(refused.status, 429, "{shown}");
        for part in ["takes no more requests today", "(512) 555-0100"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert_eq!([value_of(&shown, "name"), value_of(&shown, "address")], ["Ann Lee", "12 Elm St"]);
        let spanish = posts(&work.visitor, FORM, &[&fields[..], &[("lang", "es")]].concat()).await;
        assert!(text(&spanish).contains("hoy ya no recibe más solicitudes"), "{}", text(&spanish));
        let held = json!({ "holdId": hold });
        let by_program = books(&work.visitor, &held, json!({})).await;
        assert_eq!((by_program.status.as_u16(), by_program.problem().1.as_str()), (429, "business_unconfirmed"));
        assert_eq!(app.count("booking_request").await, 0);
        app.run_tasks().await;
    }
}
