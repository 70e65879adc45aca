//! The language that a person chooses for the app: kept at the account, the same on each of their devices.

use super::*;

async fn language_of(client: &Client) -> Value {
    client.get("/api/auth/me").await.json()["language"].clone()
}

async fn choose(client: &Client, body: &Value) -> Answer {
    client.send(Method::PUT, "/api/account/language", "application/json", body.to_string().into_bytes()).await
}

both_databases! {
    async fn chosen_language_is_read_on_every_device_of_the_person(app) {
        let shop = app.org("Acme Plumbing").await;
        let crew = app.staff(&shop, Role::Crew).await;
        let phone = app.client().signed_in(app, &crew).await.with("accept-language", "es-MX,es;q=0.9");
        let tablet = app.client().signed_in(app, &crew).await;
        assert_eq!(language_of(&phone).await, Value::Null, "the device's language is no choice");
        assert_eq!(choose(&phone, &json!({"language": "es"})).await.status, 204);
        assert_eq!(language_of(&phone).await, "es");
        assert_eq!(language_of(&tablet).await, "es");
        assert_eq!(language_of(&app.client().signed_in(app, &crew).await).await, "es", "after the next sign-in too");
        assert_eq!(choose(&tablet, &json!({"language": "en"})).await.status, 204);
        assert_eq!(language_of(&phone).await, "en");
    }

    async fn chosen_language_leaves_other_accounts_unchanged(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let crew = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        assert_eq!(choose(&owner, &json!({"language": "en"})).await.status, 204);
        assert_eq!(choose(&crew, &json!({"language": "es"})).await.status, 204);
        assert_eq!(language_of(&owner).await, "en");
        let other = app.org("Best Roofing").await;
        let other = app.client().signed_in(app, other.owner()).await;
        assert_eq!(language_of(&other).await, Value::Null);
    }

    async fn registration_in_spanish_stores_no_language(app) {
        let visitor = app.client().with("accept-language", "es");
        assert_eq!(register(&visitor, EMAIL, "Acme Plumbing").await.status, 201);
        app.vouches_for(EMAIL).await;
        app.run_tasks().await;
        let signed = login(&visitor, EMAIL, PASSWORD).await.json();
        assert_eq!((&signed["email"], &signed["language"]), (&json!(EMAIL), &Value::Null));
    }

    async fn unknown_language_is_refused_by_its_field(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        for body in [json!({"language": "fr"}), json!({"language": null}), json!({})] {
            let (status, _, fields) = choose(&owner, &body).await.problem();
            assert_eq!((status, fields), (422, vec!["language".to_owned()]), "{body}");
        }
        assert_eq!(language_of(&owner).await, Value::Null);
    }
}
