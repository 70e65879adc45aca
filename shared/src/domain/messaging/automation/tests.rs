//! Table tests of the rules: the outcome of each event, and the reasons for not sending.

use chrono::Duration;
use uuid::Uuid;

use super::*;
use crate::{
    domain::{
        intake::lead::{FLOOD_REASON, LeadForm, NewLead, RequestedVisit},
        tenancy::org::{FeatureSwitches, Org},
    },
    platform::recipient::Recipient,
};

fn at(minutes: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::days(20_500) + Duration::minutes(minutes)
}

/// Notification at any hour; the timing is tested in `alert::due`.
fn anytime() -> crate::domain::tenancy::org::OrgSettings {
    let mut settings = crate::domain::tenancy::org::OrgSettings::default();
    settings.notifications.schedule = crate::domain::tenancy::org::settings::NotificationSchedule::Anytime;
    settings
}

fn acme() -> OrgProfile {
    OrgProfile {
        org: Org { created_at: at(0), ..Org::acme() },
        switches: FeatureSwitches::ALL_ON,
        settings: anytime(),
        wordings: crate::domain::tenancy::org::OrgWordings::default(),
        has_bookable_crew: false,
        has_device: false,
        reaches_office: false,
        has_hook: false,
        recipients: vec![
            Recipient::from_stored(MessageChannel::Email, "owner@acme.example".into()),
            Recipient::from_stored(MessageChannel::Sms, "+15125550199".into()),
        ],
    }
}

fn ann() -> NewLead {
    NewLead::from_lead_form(&LeadForm {
        name: Some("Ann".into()),
        phone: Some("5125550142".into()),
        email: Some("ann@example.com".into()),
        service: Some("plumbing".into()),
        zip: Some("78701".into()),
        notes: Some("Water on the floor".into()),
        ..LeadForm::default()
    })
    .unwrap()
}

fn facts_of<'a>(profile: &'a OrgProfile, public_url: &'a PublicUrl, new: &'a NewLead) -> RuleContext<'a> {
    RuleContext {
        profile,
        public_url,
        lead: LeadId(Uuid::nil()),
        customer: CustomerId(Uuid::nil()),
        touch: TouchId(Uuid::nil()),
        new,
        told_as: &new.name,
        unknown: UnknownContacts::default(),
        photo_count: 0,
        language: Language::En,
        now: at(0),
        quarantine_reason: None,
        by_hand: None,
        told_from: Some(at(0)),
        times_url: None,
    }
}

#[test]
fn flood_answer_to_a_booking_names_the_wished_time_and_nothing_typed() {
    let (profile, url) = (acme(), PublicUrl::parse("https://box.example").unwrap());
    let wish =
        RequestedVisit { english: "Tue, Dec 1, 8:00-10:00 AM".into(), spanish: "mar 1 dic, 8:00-10:00 AM".into() };
    let new = NewLead { requested_visit: Some(wish), ..ann() };
    let email = |language, new: &NewLead| {
        let facts = RuleContext { quarantine_reason: Some(FLOOD_REASON), language, ..facts_of(&profile, &url, new) };
        let decisions = decide_lead_created(&facts, None).unwrap();
        let mut drafts = decisions.into_iter().filter_map(|decision| decision.message);
        drafts.find(|draft| draft.channel() == MessageChannel::Email).unwrap().body
    };
    let english = email(Language::En, &new);
    let sentence = "\n\nYou asked for Tue, Dec 1, 8:00-10:00 AM. The time is not yours until we confirm it.\n\n";
    assert!(english.contains(sentence) && !english.contains("Ann") && !english.contains("Water"), "{english}");
    let spanish = email(Language::Es, &new);
    assert!(
        spanish.contains("Pidió mar 1 dic, 8:00-10:00 AM. La hora no es suya hasta que la confirmemos."),
        "{spanish}"
    );
    assert!(!email(Language::En, &ann()).contains("You asked for"));
}

/// Decisions as `rule/channel/sent` lines, with the reason where nothing is sent.
fn decision_lines(profile: &OrgProfile, new: &NewLead, quarantine_reason: Option<&'static str>) -> Vec<String> {
    let url = PublicUrl::parse("https://box.example").unwrap();
    let facts = RuleContext { photo_count: 2, quarantine_reason, ..facts_of(profile, &url, new) };
    decide_lead_created(&facts, None).unwrap().iter().map(line).collect()
}

fn line(decision: &RuleDecision) -> String {
    let channel = decision.channel.map_or("-".to_owned(), |c| format!("{c:?}"));
    match &decision.message {
        Some(draft) => format!("{} {channel} to {}", decision.rule, draft.to),
        None => format!("{} {channel}: {}", decision.rule, decision.reason),
    }
}

#[test]
fn new_lead_is_answered_by_text_and_email_and_recipients_are_notified() {
    assert_eq!(
        decision_lines(&acme(), &ann(), None),
        [
            "auto_reply Sms to +15125550142",
            "auto_reply Email to ann@example.com",
            "owner_notice Email to owner@acme.example",
            "owner_notice Sms to +15125550199",
        ]
    );
}

#[test]
fn unsent_message_names_its_reason() {
    let no_email = NewLead { email: None, ..ann() };
    assert_eq!(decision_lines(&acme(), &no_email, None)[1], "auto_reply Email: no email address was given");
    let london = NewLead { phone_e164: crate::platform::phone::Phone::parse("+44 20 7946 0018"), ..ann() };
    assert_eq!(
        decision_lines(&acme(), &london, None)[0],
        "auto_reply Sms: texts go to numbers in the United States and Canada only"
    );
    let off = OrgProfile {
        switches: FeatureSwitches { automated_communications: false, lead_intake: false, ..FeatureSwitches::ALL_ON },
        ..acme()
    };
    assert_eq!(
        decision_lines(&off, &ann(), None),
        [
            "auto_reply Sms: automated communications are switched off",
            "auto_reply Email: automated communications are switched off",
            "owner_notice -: lead intake is switched off",
        ]
    );
    let alone = OrgProfile { recipients: vec![], ..acme() };
    assert_eq!(decision_lines(&alone, &ann(), None)[2], "owner_notice -: no one is on the list of people to tell");
}

#[test]
fn held_lead_sends_no_message() {
    let lines = decision_lines(&acme(), &ann(), Some("it was sent within 3 seconds of opening the form"));
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|s| s.contains("held for a person to look at")), "{lines:?}");
}

#[test]
fn repeat_request_notifies_owner_and_is_answered_again_next_day() {
    let (profile, new) = (acme(), ann());
    let url = PublicUrl::parse("https://box.example").unwrap();
    let facts = |now| RuleContext { now, ..facts_of(&profile, &url, &new) };
    let sent = |decisions: Vec<RuleDecision>| decisions.iter().filter(|d| d.message.is_some()).count();
    let notified = &OwnerNotificationHistory { at: Some(at(0)), ..OwnerNotificationHistory::default() };
    assert_eq!(sent(decide_lead_touched(&facts(at(5)), [Some(at(0)); 2], notified).unwrap()), 0, "the same visit");
    assert_eq!(
        sent(decide_lead_touched(&facts(at(60)), [Some(at(0)); 2], notified).unwrap()),
        2,
        "a new visit: only the business"
    );
    assert_eq!(
        sent(decide_lead_touched(&facts(at(25 * 60)), [Some(at(0)); 2], notified).unwrap()),
        4,
        "the next day: answered again"
    );
}

#[test]
fn owner_notice_shows_customer_request_and_link() {
    let url = PublicUrl::parse("https://box.example").unwrap();
    let (profile, new) = (acme(), ann());
    let facts = RuleContext { photo_count: 2, ..facts_of(&profile, &url, &new) };
    let decisions = decide_lead_created(&facts, None).unwrap();
    let mail = decisions[2].message.as_ref().unwrap();
    assert_eq!(mail.subject.as_deref(), Some("New lead: Ann, Plumbing"));
    assert!(
        mail.body.contains("(512) 555-0142") && mail.body.contains("https://box.example/app/leads/"),
        "{}",
        mail.body
    );
    assert!(mail.body.contains("Photos: 2"), "{}", mail.body);
    let typed = RuleContext { unknown: UnknownContacts { phone: false, email: true }, ..facts };
    let decisions = decide_lead_created(&typed, None).unwrap();
    let mail = decisions[2].message.as_ref().unwrap();
    assert!(mail.body.contains("Email: ann@example.com (typed into the form, not on file)"), "{}", mail.body);
    assert!(mail.body.contains("Phone: (512) 555-0142\n"), "{}", mail.body);
    let text = decisions[3].message.as_ref().unwrap();
    let begins = "New lead: Ann, Plumbing, (512) 555-0142. \"Water on the floor\" https://";
    assert!(text.body.starts_with(begins), "{}", text.body);
}

#[test]
fn owner_notice_names_known_customer_as_on_file_and_reply_as_typed() {
    let (profile, url, new) = (acme(), PublicUrl::parse("https://box.example").unwrap(), ann());
    let facts = RuleContext { told_as: "Maria Lopez (wrote: Ann)", ..facts_of(&profile, &url, &new) };
    let decisions = decide_lead_created(&facts, None).unwrap();
    let message_at = |at: usize| decisions[at].message.as_ref().unwrap();
    assert_eq!(message_at(2).subject.as_deref(), Some("New lead: Maria Lopez (wrote: Ann), Plumbing"));
    assert!(message_at(2).body.contains("Name: Maria Lopez (wrote: Ann)\n"), "{}", message_at(2).body);
    let begins = "New lead: Maria Lopez (wrote: Ann), Plumbing, (512) 555-0142. \"Water on the floor\" https://";
    assert!(message_at(3).body.starts_with(begins), "{}", message_at(3).body);
    for answer in [message_at(0), message_at(1)] {
        assert!(!answer.body.contains("Maria"), "{}", answer.body);
    }
}

#[test]
fn owner_notice_quotes_typed_address_and_numbers_unchanged() {
    let typed = "EMERGENCY gas leak at 4412 Elm St, gate code 4471#, call 512-555-0148";
    let new = NewLead { notes: Some(typed.to_owned()), ..ann() };
    let (profile, url) = (acme(), PublicUrl::parse("https://box.example").unwrap());
    let facts = facts_of(&profile, &url, &new);
    let decisions = decide_lead_created(&facts, None).unwrap();
    let notices: Vec<&RuleDecision> = decisions.iter().filter(|decision| decision.rule == "owner_notice").collect();
    assert_eq!(notices.len(), 2);
    for notice in &notices {
        let body = &notice.message.as_ref().unwrap().body;
        assert!(body.contains(&format!("\"{typed}\"")), "{body}");
    }
    assert_eq!(
        message_wording::build_owner_alert(
            &facts,
            message_wording::RequestNews { again: false, is_urgent: true },
            None
        )
        .unwrap()
        .body,
        format!("\"{typed}\"")
    );
}

/// The subject of the email, and what the email and the text begin with.
fn notices(decisions: &[RuleDecision]) -> [String; 3] {
    let drafts: Vec<&MessageDraft> = decisions.iter().filter_map(|decision| decision.message.as_ref()).collect();
    let of = |channel: MessageChannel, to: &str| {
        drafts.iter().find(|draft| draft.channel() == channel && draft.to.as_str() == to).unwrap()
    };
    let (mail, text) = (of(MessageChannel::Email, "owner@acme.example"), of(MessageChannel::Sms, "+15125550199"));
    let begin = |body: &str| body.split(" https://").next().unwrap().lines().next().unwrap().to_owned();
    [mail.subject.clone().unwrap(), begin(&mail.body), begin(&text.body)]
}

#[test]
fn owner_notice_has_same_heading_in_subject_email_and_text() {
    let (profile, url) = (acme(), PublicUrl::parse("https://box.example").unwrap());
    let facts = |new| facts_of(&profile, &url, new);
    let call = NewLead::from_call(crate::platform::phone::Phone::parse("+15125550166").unwrap(), None);
    let missed = phone::decide_missed_call(&facts(&call), &phone::CallerContext::default()).unwrap();
    assert_eq!(notices(&missed), ["Missed call: (512) 555-0166"; 3]);
    let news = message_wording::RequestNews { again: false, is_urgent: false };
    assert_eq!(message_wording::build_owner_alert(&facts(&call), news, None).unwrap().body, "No one answered.");

    let silent = NewLead { notes: None, ..ann() };
    let again = decide_lead_touched(&facts(&silent), [Some(at(0)); 2], &OwnerNotificationHistory::default()).unwrap();
    let [subject, mail, text] = notices(&again);
    assert_eq!(subject, "Asked again: Ann, Plumbing");
    assert_eq!([mail, text], [format!("{subject}, (512) 555-0142"), format!("{subject}, (512) 555-0142")]);

    let urgent = NewLead { notes: Some("EMERGENCY gas leak".into()), ..ann() };
    let [subject, mail, text] = notices(&decide_lead_created(&facts(&urgent), None).unwrap());
    assert_eq!(subject, "Urgent. New lead: Ann, Plumbing");
    assert!(mail.starts_with(&subject) && text.starts_with(&subject), "{mail} {text}");
}
