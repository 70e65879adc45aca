//! Wording of the alerts raised by the rules and the send policy.

use super::{AlertKind, NewAlert};
use crate::{
    domain::messaging::message::send_budget::REFUSED_TEXTS_PATH,
    platform::id::{LeadId, MessageId},
};

const QUOTED: usize = 120;
/// Added to an alert that has the link; removed together with it.
pub(crate) const TAP_TO_TEXT: &str = " Tap to text from your phone.";
pub(super) const TEXT_THEM_YOURSELF: &str = " They are waiting: text them from your own phone.";
const THEY_WAIT_FOR_WORD: &str = " They are waiting: call them, or write to them.";

pub(super) fn budget_used_alert(dedupe_key: String, budget: i64) -> NewAlert {
    NewAlert {
        is_urgent: true,
        path: Some(REFUSED_TEXTS_PATH.to_owned()),
        ..NewAlert::new(
            AlertKind::BudgetUsed,
            dedupe_key,
            format!("Today's {budget} automatic texts are used up"),
            "No rule texts anyone until midnight. Emails still go out, and you can still write texts yourself. If \
             these are real customers, raise the daily limit in Settings. Texts that were already refused are not \
             sent automatically: this alert opens the list of those leads. Tap Send again on each, tomorrow or once \
             the limit is raised."
                .to_owned(),
        )
    }
}

pub(super) fn budget_near_alert(dedupe_key: String, texts: i64, budget: i64) -> NewAlert {
    NewAlert::new(
        AlertKind::BudgetNear,
        dedupe_key,
        format!("{texts} of today's {budget} automatic texts are used up"),
        "After the last one customers are answered by email only, until midnight. Raise the daily budget in \
               Settings if these were real customers."
            .to_owned(),
    )
}

pub(super) fn neighbouring_numbers_alert(dedupe_key: String) -> NewAlert {
    NewAlert::new(
        AlertKind::TextsBraked,
        dedupe_key,
        "Automatic texts to neighboring numbers were stopped".to_owned(),
        "Many new numbers with the same first digits came in within an hour, as when someone abuses the form to \
               run up your bill. They are answered by email where they left an address. Check the newest leads; the \
               limit is in Settings."
            .to_owned(),
    )
}

/// Texts about visits that the customers are not proven to have booked used up their share of the day's budget.
pub(super) fn bookings_limit_alert(dedupe_key: String) -> NewAlert {
    NewAlert {
        path: Some(REFUSED_TEXTS_PATH.to_owned()),
        ..NewAlert::new(
            AlertKind::TextsBraked,
            dedupe_key,
            "Automatic texts about visits booked online were stopped".to_owned(),
            "A quarter of today's automatic texts told of visits that were booked or changed online in your \
             customers' names, and that nothing shows to be the customers' own. The rest is kept for others until \
             midnight. This alert opens the list of the leads whose texts were not sent: call who you are not sure of."
                .to_owned(),
        )
    }
}

pub(super) fn request_flood_alert(dedupe_key: String) -> NewAlert {
    NewAlert {
        is_urgent: true,
        ..NewAlert::new(
            AlertKind::RequestFlood,
            dedupe_key,
            "More than 100 requests came in within an hour".to_owned(),
            "What is beyond is answered by email only, and waits on the list of leads until you let it through: texts \
               to people who never asked are costly."
                .to_owned(),
        )
    }
}

pub(super) fn possible_opt_out_alert(lead: Option<LeadId>, name: &str, provider_id: &str, text: &str) -> NewAlert {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUOTED).collect();
    NewAlert {
        lead,
        ..NewAlert::new(
            AlertKind::OptOutDoubt,
            format!("doubt:{provider_id}"),
            format!("Did {name} ask you to stop texting?"),
            format!("They wrote \"{text}\". Nothing is texted to them until you say what they meant."),
        )
    }
}

pub(super) fn text_not_sent_alert(
    lead: LeadId,
    name: &str,
    message: MessageId,
    reason: &str,
    text_link: Option<String>,
) -> NewAlert {
    let next = if text_link.is_some() { TEXT_THEM_YOURSELF } else { THEY_WAIT_FOR_WORD };
    NewAlert {
        lead: Some(lead),
        text_link,
        ..NewAlert::new(
            AlertKind::TextNotSent,
            format!("unsent:{message}"),
            format!("Your text to {name} was not sent"),
            format!("The reason: {reason}.{next}"),
        )
    }
}

/// Raised once per lead.
pub(super) fn unreachable_number_alert(lead: LeadId, name: &str, email: Option<&str>, reason: &str) -> NewAlert {
    let advice = match email {
        Some(email) => format!("Call them, or write to {email}: no text reaches this number."),
        None => "Call them, or check the number: no text reaches it.".to_owned(),
    };
    NewAlert {
        lead: Some(lead),
        ..NewAlert::new(
            AlertKind::TextNotSent,
            format!("unreachable:{lead}"),
            format!("Your text to {name} was not sent"),
            format!("The reason: {reason}. {advice}"),
        )
    }
}

pub(super) fn channel_trouble_alert(dedupe_key: String, title: &str, body: &str) -> NewAlert {
    NewAlert::new(AlertKind::TextingTrouble, dedupe_key, title.to_owned(), body.to_owned())
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::domain::messaging::alert::StoredAlert;

    #[test]
    fn alert_path_matches_alert_subject() {
        let alert = |new: NewAlert| StoredAlert {
            org_id: crate::platform::id::OrgId(uuid::Uuid::nil()),
            id: crate::platform::id::AlertId(uuid::Uuid::nil()),
            lead_id: new.lead,
            kind: new.kind,
            title: new.title,
            body: new.body,
            is_urgent: new.is_urgent,
            created_at: DateTime::UNIX_EPOCH,
            due_at: DateTime::UNIX_EPOCH,
            notified_at: None,
            step: 0,
            escalates_at: None,
            seen_at: None,
            text_link: new.text_link,
            path: new.path,
            account_id: new.account,
        };
        let key = || "key".to_owned();
        for new in [budget_near_alert(key(), 8, 9), channel_trouble_alert(key(), "No text leaves", "Look.")] {
            assert_eq!(alert(new).link_path(), "/app/settings?tab=automation");
        }
        for new in [budget_used_alert(key(), 9), bookings_limit_alert(key())] {
            assert_eq!(alert(new).link_path(), "/app/leads?texts=refused");
        }
        for new in [neighbouring_numbers_alert(key()), request_flood_alert(key())] {
            assert_eq!(alert(new).link_path(), "/app/leads");
        }
        let lead = Some(LeadId(uuid::Uuid::nil()));
        let job = alert(NewAlert { lead, path: Some("/app/jobs/7".to_owned()), ..request_flood_alert(key()) });
        assert_eq!((job.link_path().as_str(), job.push_tag().as_str()), ("/app/jobs/7", "job:7"));
    }
}
