//! The booking page in a browser without scripts.

use shared::domain::messaging::sending_number;

use super::*;

const FORM: &str = "/book/acme-plumbing";

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).unwrap()
}

fn field(page: &str, name: &str) -> String {
    let found = page.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap_or_else(|| panic!("{name} in {page}"));
    found.split('"').next().unwrap().replace("&#x2f;", "/").replace("&amp;", "&")
}

async fn page(client: &Client, path: &str) -> String {
    let answer = client.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", text(&answer));
    assert!(answer.header("content-security-policy").contains("default-src 'none'"));
    assert!(answer.body.len() < 60_000, "{} bytes", answer.body.len());
    text(&answer)
}

both_databases! {
    async fn booking_without_scripts_leads_from_form_to_visit_page(app) {
        let work = BookingFixture::of(app).await;
        let ask = page(&work.visitor, &format!("{FORM}?utm_source=google")).await;
        assert!(ask.contains("Book a visit") && ask.contains("Acme Plumbing"));
        let came = field(&ask, "page");
        assert!(came.ends_with("/book/acme-plumbing?utm_source=google"), "{came}");
        let query = format!("{FORM}?service=plumbing&zip=78701-1234&page={}", url::form_urlencoded::byte_serialize(came.as_bytes()).collect::<String>());
        let times = page(&work.visitor, &query).await;
        assert!(times.contains("Friday, September 18") && times.contains("10:00 AM"), "{times}");
        let wish = [("service", "plumbing"), ("zip", "78701-1234"), ("page", came.as_str()), ("startsAt", "2026-09-18T15:00:00+00:00")];
        let chosen = posts(&work.visitor, &format!("{FORM}/hold"), &wish).await;
        assert_eq!(chosen.status, 303, "{}", text(&chosen));
        let fill = page(&work.visitor, chosen.header("location")).await;
        assert!(fill.contains("We keep it for you until 10:05 AM") && fill.contains("By submitting, you agree"), "{fill}");
        let (hold, token) = (field(&fill, "hold"), field(&fill, "formToken"));
        app.advance(Duration::seconds(20));
        let mut fields = vec![
            ("hold", hold.as_str()), ("service", "plumbing"), ("zip", "78701"), ("formToken", token.as_str()),
            ("page", came.as_str()), ("name", "Ann <b>Lee</b>"), ("phone", "512"), ("address", "12 Elm St"),
        ];
        let refused = posts(&work.visitor, FORM, &fields).await;
        let shown = text(&refused);
        assert_eq!(refused.status, 422);
        assert!(shown.contains("fault-phone") && shown.contains("Ann &lt;b&gt;Lee&lt;&#x2f;b&gt;"), "the input is kept and escaped: {shown}");
        fields[6].1 = "5125550142";
        let booked = posts(&work.visitor, FORM, &fields).await;
        assert_eq!(booked.status, 303, "{}", text(&booked));
        let at = booked.header("location").to_owned();
        assert!(at.starts_with("/book/acme-plumbing?waiting=") && at.contains("confirm=1"), "{at}");
        let waiting = page(&work.visitor, &at).await;
        let hint = "We sent a text to the number you typed. Tap the link in it by 10:15 AM to keep Fri, Sep 18, 10:00 AM.";
        assert!(waiting.contains("One more tap") && waiting.contains(hint), "{waiting}");
        let link = work.question(&json!({"holdId": hold})).await;
        let question = page(&work.visitor, &link).await;
        assert!(question.contains("Fri, Sep 18, 10:00 AM") && question.contains("Yes, keep this time"), "{question}");
        assert_eq!(app.count("job").await, 0, "looking keeps nothing");
        let kept = posts(&work.visitor, &format!("{link}/keep"), &[]).await;
        let visit = page(&work.visitor, kept.header("location")).await;
        assert!(visit.contains("Your visit is booked") && visit.contains("Fri, Sep 18, 10:00 AM"), "{visit}");
        assert!(!visit.contains("Yes, I will be there"), "a visit that was just booked asks for no confirmation");
        let again = page(&work.visitor, kept.header("location").trim_end_matches("?booked=1")).await;
        assert!(again.contains("You confirmed this visit on") && !again.contains("Yes, I will be there"), "{again}");
        let twice = posts(&work.visitor, FORM, &fields).await;
        assert_eq!((twice.status.as_u16(), twice.header("location")), (303, at.as_str()), "a second tap");
        let lead = work.office.get("/api/leads/acme-plumbing").await.json()[0].clone();
        let lead = work.office.get(&format!("/api/leads/{}", lead["id"].as_str().unwrap())).await.json();
        assert_eq!(lead["attribution"]["utmSource"], json!("google"));
        app.run_tasks().await;
    }

    async fn form_shown_again_keeps_its_consent_words_when_the_number_is_gone(app) {
        let work = BookingFixture::of(app).await;
        let place = [("service", "plumbing"), ("zip", "78701")];
        let wish = [&place[..], &[("startsAt", "2026-09-18T15:00:00+00:00")]].concat();
        let chosen = posts(&work.visitor, &format!("{FORM}/hold"), &wish).await;
        let fill = page(&work.visitor, chosen.header("location")).await;
        assert!(fill.contains("by phone, text and email"), "{fill}");
        let (hold, token) = (field(&fill, "hold"), field(&fill, "formToken"));
        let number = work.shop.org.sms_number.clone().unwrap();
        app.within(async |tx| sending_number::release_number(tx, &app.origin, &number).await).await.unwrap();
        app.advance(Duration::seconds(20));
        let who = [("hold", hold.as_str()), ("formToken", token.as_str()), ("name", "Ann Lee"), ("phone", "512"), ("address", "12 Elm St")];
        let refused = posts(&work.visitor, FORM, &[&place[..], &who[..]].concat()).await;
        let shown = text(&refused);
        assert_eq!((refused.status.as_u16(), field(&shown, "formToken")), (422, token.clone()));
        assert!(shown.contains("by phone, text and email") && !shown.contains("if we text you"), "{shown}");
        app.run_tasks().await;
    }

    async fn slot_taken_while_typing_keeps_form_input_for_another_choice(app) {
        let work = BookingFixture::of(app).await;
        let place = [("service", "plumbing"), ("zip", "78701")];
        let chosen = posts(&work.visitor, &format!("{FORM}/hold"), &[&place[..], &[("startsAt", "2026-09-18T17:00:00Z")]].concat()).await;
        let fill = page(&work.visitor, chosen.header("location")).await;
        let (hold, token) = (field(&fill, "hold"), field(&fill, "formToken"));
        app.advance(Duration::minutes(6));
        assert_eq!(work.tries_to_hold(at("2026-09-18T17:00")).await.status, 201, "the time is held by another visitor");
        let who = [("formToken", token.as_str()), ("name", "Ann Lee"), ("phone", "5125550142"), ("address", "12 Elm \"St\""), ("notes", "Ring twice"), ("marketingConsent", "true")];
        let fields = [&place[..], &[("hold", hold.as_str())], &who[..]].concat();
        let taken = posts(&work.visitor, FORM, &fields).await;
        let times = text(&taken);
        assert_eq!(taken.status, 409);
        assert!(times.contains("That time has just been taken") && times.contains("name=\"startsAt\""), "{times}");
        for (name, value) in &who {
            assert_eq!(field(&times, name).replace("&quot;", "\""), *value, "{name} goes with them: {times}");
        }
        let later = posts(&work.visitor, &format!("{FORM}/hold"), &[&fields[..], &[("from", field(&times, "from").as_str())]].concat()).await;
        assert_eq!((later.status.as_u16(), field(&text(&later), "name").as_str()), (200, "Ann Lee"), "also to later days");
        let again = [&fields[..], &[("instead", hold.as_str()), ("startsAt", "2026-09-21T20:00:00Z")]].concat();
        let held = posts(&work.visitor, &format!("{FORM}/hold"), &again).await;
        let fill = text(&held);
        assert!(held.status == 200 && fill.contains("3:00 PM") && fill.contains("value=\"Ann Lee\"") && fill.contains("Ring twice") && fill.contains("checked"), "{fill}");
        let (new, kept) = (field(&fill, "hold"), field(&fill, "formToken"));
        assert_eq!(kept, token, "a fast confirmation is not taken for a robot");
        let fields = [&place[..], &[("hold", new.as_str())], &who[..]].concat();
        let booked = posts(&work.visitor, FORM, &fields).await;
        assert!(booked.status == 303 && booked.header("location").contains("confirm=1"), "{}", text(&booked));
        app.run_tasks().await;
    }

    async fn corrected_form_sent_again_leads_to_another_choice_of_time(app) {
        let work = BookingFixture::of(app).await;
        let place = [("service", "plumbing"), ("zip", "78701")];
        let noon = ("startsAt", "2026-09-18T17:00:00+00:00");
        let chosen = posts(&work.visitor, &format!("{FORM}/hold"), &[&place[..], &[noon]].concat()).await;
        let fill = page(&work.visitor, chosen.header("location")).await;
        let (hold, token) = (field(&fill, "hold"), field(&fill, "formToken"));
        app.advance(Duration::seconds(20));
        let who = [("formToken", token.as_str()), ("name", "Ann Lee"), ("address", "12 Elm St")];
        let send = async |hold: &str, phone: &str| {
            let fields = [&place[..], &who[..], &[("hold", hold), ("phone", phone)]].concat();
            posts(&work.visitor, FORM, &fields).await
        };
        let first = send(&hold, "5125550143").await;
        let again = send(&hold, "5125550143").await;
        assert_eq!((first.status.as_u16(), first.header("location")), (303, again.header("location")), "sent twice");
        let corrected = send(&hold, "5125550142").await;
        let times = text(&corrected);
        assert_eq!(corrected.status, 409, "{times}");
        assert!(times.contains("We have your request already."), "{times}");
        assert!(times.contains("2026-09-18T17:00:00") && field(&times, "instead") == hold, "their own time is offered: {times}");
        let fields = [&place[..], &who[..], &[("phone", "5125550142"), ("instead", hold.as_str()), noon]].concat();
        let held = posts(&work.visitor, &format!("{FORM}/hold"), &fields).await;
        assert_eq!(held.status, 200, "{}", text(&held));
        let booked = send(&field(&text(&held), "hold"), "5125550142").await;
        assert!(booked.status == 303 && booked.header("location").contains("confirm=1"), "{}", text(&booked));
        app.run_tasks().await;
    }

    async fn booking_page_promises_texts_or_emails_by_what_the_business_can_send(app) {
        let work = BookingFixture::of(app).await;
        let hints = async || {
            let held = [("service", "plumbing"), ("zip", "78701"), ("startsAt", "2026-09-21T15:00:00Z")];
            let chosen = posts(&work.visitor, &format!("{FORM}/hold"), &held).await;
            let fill = page(&work.visitor, chosen.header("location")).await;
            let hold = field(&fill, "hold");
            let sql = "DELETE FROM slot_hold WHERE org_id = $1 AND id = $2";
            let id: Uuid = hold.parse().unwrap();
            app.within(async |tx| Ok(q!(tx, execute, sql, work.shop.id(), id)?)).await.unwrap();
            (fill.contains("We text you before we come"), fill.contains("We email you before we come"))
        };
        assert_eq!(hints().await, (true, false));
        app.sets(&work.shop, json!({"sending": {"registration": "pending"}})).await;
        assert_eq!(hints().await, (false, true));
        app.sets(&work.shop, json!({"jobs": {"dayBefore": false, "hourBefore": false}})).await;
        assert_eq!(hints().await, (false, false));
    }

    async fn booking_page_speaks_spanish_and_explains_refusals(app) {
        let work = BookingFixture::of(app).await;
        let ana = work.visitor.with("accept-language", "es-MX,es;q=0.9");
        let ask = page(&ana, FORM).await;
        assert!(ask.contains("lang=\"es\"") && ask.contains("Plomería") && ask.contains("lang=en"));
        let times = page(&ana, &format!("{FORM}?service=hvac&zip=78701")).await;
        assert!(times.contains("viernes 18 de septiembre"), "{times}");
        let english = page(&ana, &format!("{FORM}?service=hvac&zip=78701&lang=en")).await;
        assert!(english.contains("Friday, September 18"));
        for (query, status) in [("service=cooking&zip=78701", 422), ("service=hvac&zip=x", 422), ("service=hvac&zip=78701&hold=x", 200)] {
            assert_eq!(work.visitor.get(&format!("{FORM}?{query}")).await.status, status, "{query}");
        }
        let gone = work.visitor.get(&format!("{FORM}?service=hvac&zip=78701&hold={}", Uuid::from_u128(9))).await;
        assert!(text(&gone).contains("When should we come?"), "a hold that nobody knows leads back to the times");
        assert_eq!(work.visitor.get("/book/nobody").await.status, 404);
        let held = [("service", "hvac"), ("zip", "78701"), ("startsAt", "2026-09-18T15:00:00Z")];
        assert_eq!(posts(&ana, &format!("{FORM}/hold"), &held).await.status, 303);
        let late = posts(&ana, &format!("{FORM}/hold"), &held).await;
        assert_eq!(late.status, 409);
        assert!(text(&late).contains("Esa hora se acaba de ocupar"));
        assert_eq!(posts(&ana, &format!("{FORM}/hold"), &held[..2]).await.status, 422);
        app.sets(&work.shop, json!({"booking": {"zips": ["787"]}})).await;
        let far = page(&work.visitor, &format!("{FORM}?service=hvac&zip=90210")).await;
        assert!(far.contains("We do not work in this area"));
        app.sets(&work.shop, json!({"booking": {"isOn": false}})).await;
        assert!(page(&work.visitor, FORM).await.contains("Times cannot be booked here right now"));
    }

    async fn visit_page_keeps_language_of_the_booking(app) {
        let work = BookingFixture::of(app).await;
        let ana = work.visitor.with("accept-language", "es-MX,es;q=0.9");
        // The office reads "on Fri, Sep 18, 10:00 AM" in English, which is not the customer's language.
        let place = [("service", "plumbing"), ("zip", "78701")];
        let chosen = posts(&ana, &format!("{FORM}/hold"), &[&place[..], &[("startsAt", "2026-09-18T15:00:00Z")]].concat()).await;
        let fill = page(&ana, chosen.header("location")).await;
        let (hold, token) = (field(&fill, "hold"), field(&fill, "formToken"));
        app.advance(Duration::seconds(20));
        let who = [("hold", hold.as_str()), ("formToken", token.as_str()), ("name", "Ana Vega"), ("phone", "5125550142"), ("address", "5 Oak St")];
        let asked = posts(&ana, FORM, &[&place[..], &who[..]].concat()).await;
        assert_eq!(asked.status, 303, "{}", text(&asked));
        let sql = "SELECT language FROM customer WHERE org_id = $1 AND name = 'Ana Vega'";
        let language = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar Option<String>, sql, work.shop.id()).unwrap();
        assert_eq!(language.as_deref(), Some("es"), "the customer's language is stored");
        let kept = posts(&ana, &format!("{}/keep", work.question(&json!({"holdId": hold})).await), &[]).await;
        let visit = page(&ana, kept.header("location")).await;
        assert!(visit.contains("lang=\"es\"") && visit.contains("Su visita"), "{visit}");
        app.run_tasks().await;
    }

    async fn hold_redirect_ignores_hostile_page_parameter(app) {
        let work = BookingFixture::of(app).await;
        let evil = [
            "https://evil.example", "//evil.example", "/\\\\evil.example", "\\\\evil.example", "javascript:alert(1)", "/app\r\nLocation: https://evil.example",
            "https:evil.example", "https://toolbox.example@evil.example", "\u{2028}//evil.example", "%2f%2fevil.example", "?x=//evil.example", "#//evil.example",
        ];
        let mut before = String::new();
        for page in evil {
            let mut wish = vec![("service", "plumbing"), ("zip", "78701"), ("page", page), ("startsAt", "2026-09-18T15:00:00Z")];
            if !before.is_empty() {
                wish.push(("instead", &before));
            }
            let chosen = posts(&work.visitor, &format!("{FORM}/hold"), &wish).await;
            assert_eq!(chosen.status, 303, "{page}: {}", text(&chosen));
            let next = chosen.header("location");
            assert!(next.starts_with(&format!("{FORM}?service=plumbing")), "{page}: {next}");
            let query = next.split_once('?').unwrap().1;
            let held = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "hold");
            before = held.unwrap().1.into_owned();
        }
    }
}
