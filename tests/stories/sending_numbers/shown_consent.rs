//! The words of consent on a form that was open while the business got its number, or lost it.

use shared::platform::id::LeadId;

use super::*;

/// The token of the form, and the words that it shows.
async fn opens_form(app: &TestApp) -> (String, [String; 2]) {
    let form = app.client().get("/api/public/form?org=acme-plumbing").await.json();
    let text = |name: &str| form[name].as_str().unwrap().to_owned();
    (text("formToken"), [text("consentText"), text("marketingText")])
}

/// The words stored with a form that is sent half a minute later.
async fn stored_words(app: &TestApp, shop: &Shop, mut sent: Visitor, token: Option<String>) -> Vec<String> {
    app.advance(Duration::seconds(30));
    sent.form.form_token = token;
    let lead: LeadId = sent.submits_lead(app, &again(app, shop.clone()).await).await;
    let sql = "SELECT wording FROM consent WHERE org_id = $1 AND lead_id = $2 ORDER BY class";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, sql, shop.id(), lead).unwrap()
}

both_databases! {
    async fn consent_is_stored_with_the_words_that_the_open_form_showed(app) {
        let shop = without_number(app, "Acme Plumbing").await;
        let (token, shown) = opens_form(app).await;
        assert!(shown[0].contains("by text if we text you"), "{shown:?}");
        let by = (NumberAssignedBy::Operator, None);
        app.within(async |tx| sending_number::assign_number(tx, &app.origin, shop.id(), FREE, by).await).await.unwrap();
        assert_eq!(stored_words(app, &shop, Visitor::number(1), Some(token)).await, shown);
        let (token, promising) = opens_form(app).await;
        assert!(promising[0].contains("by phone, text and email"), "{promising:?}");
        app.within(async |tx| sending_number::release_number(tx, &app.origin, FREE).await).await.unwrap();
        assert_eq!(stored_words(app, &shop, Visitor::number(2), Some(token)).await, promising);
        assert_eq!(stored_words(app, &shop, Visitor::number(3), None).await, shown, "without a token what holds now");
        app.run_tasks().await;
    }
}
