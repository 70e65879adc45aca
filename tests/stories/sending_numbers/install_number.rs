//! The install's own number: whose it becomes, and what becomes of it when that business is removed.

use shared::{
    domain::{
        messaging::sending_number::{
            self,
            notice::SenderNoticeContext,
            operator_assignment::{self, NumberMove},
        },
        tenancy::org::{self, SendChannels},
    },
    ops::tenant_data::removal,
    platform::error::Error,
    providers::sms::SmsSender,
};
use tests::{app::TestApp, both_databases, fake_twilio::FROM, people::Shop};

use super::{FREE, again, without_number};

async fn settle(app: &TestApp, default_org: Option<&str>) {
    let sender = SmsSender::Number(FROM.to_owned());
    app.within(async |tx| sending_number::sync_default_sender(tx, &app.origin, Some(&sender), default_org).await)
        .await
        .unwrap();
}

async fn number_of(app: &TestApp, shop: &Shop) -> Option<String> {
    again(app, shop.clone()).await.org.sms_number
}

/// A business that nobody has proven, without a number.
async fn unproven(app: &TestApp, name: &str) -> Shop {
    let shop = app.fresh_org(name).await;
    let number = shop.org.sms_number.clone().unwrap();
    app.within(async |tx| sending_number::release_number(tx, &app.origin, &number).await).await.unwrap();
    again(app, shop).await
}

async fn assigns(app: &TestApp, number: &str, to: &Shop, from: Option<&Shop>) -> Result<(), Error> {
    let wanted = NumberMove { number, is_installs: number == FROM, to: to.id(), from: from.map(Shop::id) };
    let notices = SenderNoticeContext { set_up: SendChannels::ALL, numbers_per_business: 1 };
    app.within(async |tx| operator_assignment::assign_by_operator(tx, &app.origin, wanted, (None, notices)).await).await
}

both_databases! {
    async fn business_of_default_org_that_is_not_registered_leaves_number_and_forms_to_no_other(app) {
        let stranger = without_number(app, "Stranger Works").await;
        settle(app, Some("acme-plumbing")).await;
        assert_eq!(number_of(app, &stranger).await, None, "the number waits for the named business");
        let named = org::resolve_public(&mut app.db.acquire_reader().await.unwrap(), None, Some("acme-plumbing")).await;
        assert!(matches!(named, Err(Error::NoBusiness)), "{named:?}");
        app.settings.default_org = Some("acme-plumbing".to_owned());
        assert_eq!(app.client().get("/api/public/form").await.status, 409);
        assert_eq!(app.client().get("/api/public/form?org=stranger-works").await.status, 200, "by its own name");
        let acme = without_number(app, "Acme Plumbing").await;
        settle(app, Some("Acme-Plumbing")).await;
        assert_eq!((number_of(app, &acme).await.as_deref(), number_of(app, &stranger).await), (Some(FROM), None));
        assert_eq!(app.client().get("/api/public/form").await.status, 200);
        app.run_tasks().await;
    }

    async fn number_of_registration_that_nobody_proved_goes_to_next_business_after_removal(app) {
        let planted = unproven(app, "Planted Works").await;
        settle(app, None).await;
        assert_eq!(number_of(app, &planted).await.as_deref(), Some(FROM));
        removal::remove_org(&app.remover(), planted.id()).await.unwrap();
        let acme = without_number(app, "Acme Plumbing").await;
        settle(app, None).await;
        assert_eq!(number_of(app, &acme).await.as_deref(), Some(FROM));
        // A proven one: the texts of its customers would come with the number.
        removal::remove_org(&app.remover(), acme.id()).await.unwrap();
        let best = without_number(app, "Best Roofing").await;
        settle(app, None).await;
        assert_eq!(number_of(app, &best).await, None, "the operator decides");
        assigns(app, FROM, &best, None).await.unwrap();
        settle(app, None).await;
        assert_eq!(number_of(app, &best).await.as_deref(), Some(FROM));
        app.run_tasks().await;
    }

    async fn operator_command_moves_number_only_from_the_business_it_names(app) {
        let (acme, best) = (without_number(app, "Acme Plumbing").await, without_number(app, "Best Roofing").await);
        let third = without_number(app, "Third Drains").await;
        assigns(app, FREE, &acme, None).await.unwrap();
        for from in [None, Some(&third)] {
            let refused = assigns(app, FREE, &best, from).await;
            assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
        }
        assert_eq!(number_of(app, &acme).await.as_deref(), Some(FREE));
        assigns(app, FREE, &acme, None).await.unwrap();
        assigns(app, FREE, &best, Some(&acme)).await.unwrap();
        assert_eq!((number_of(app, &acme).await, number_of(app, &best).await.as_deref()), (None, Some(FREE)));
        app.run_tasks().await;
        let mailed = |subject: &str| app.mail.accepted_messages().iter().filter(|letter| letter.subject == subject).count();
        assert_eq!(mailed("Your texting number is now (512) 555-0701"), 2, "each owner once");
        assert_eq!(mailed("Your business no longer has a texting number"), 1);
        for (shop, action) in [(&acme, "number_taken_away"), (&best, "number_assigned")] {
            let log = app.client().signed_in(app, shop.owner()).await.get("/api/security/audit-log").await;
            assert!(String::from_utf8_lossy(&log.body).contains(action), "{action}");
        }
        // The operator's decision stays where a registration that nobody proved had the install's number.
        let planted = unproven(app, "Planted Works").await;
        assigns(app, FROM, &planted, None).await.unwrap();
        removal::remove_org(&app.remover(), planted.id()).await.unwrap();
        assigns(app, FROM, &third, None).await.unwrap();
        settle(app, None).await;
        assert_eq!(number_of(app, &third).await.as_deref(), Some(FROM), "no start takes it away");
        app.run_tasks().await;
    }
}
