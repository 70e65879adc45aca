//! What the alerts say that the rules and the gate raise by themselves.

use super::{Kind, NewAlert};
use crate::platform::id::{LeadId, MessageId};

/// How much of what somebody wrote an alert repeats.
const QUOTED: usize = 120;
/// Said in an alert that carries the link; taken out of it with the link.
pub(crate) const TAP: &str = " Tap to text from your phone.";
pub(super) const THEY_WAIT: &str = " They are waiting: text them from your own phone.";
/// Where the words of the text are over.
const THEY_WAIT_FOR_WORD: &str = " They are waiting: call them, or write to them.";

/// The day's budget of automatic texts is used up.
pub(super) fn budget(dedupe_key: String, budget: i64) -> NewAlert {
    NewAlert {
        is_urgent: true,
        ..NewAlert::new(
            Kind::BudgetUsed,
            dedupe_key,
            format!("Today's {budget} automatic texts are used up"),
            "No rule texts anybody until midnight; emails go on, and you can still write by hand. Raise the daily \
               budget in Settings if these were real customers."
                .to_owned(),
        )
    }
}

/// Most of the day's budget of automatic texts is used up.
pub(super) fn budget_near(dedupe_key: String, texts: i64, budget: i64) -> NewAlert {
    NewAlert::new(
        Kind::BudgetNear,
        dedupe_key,
        format!("{texts} of today's {budget} automatic texts are used up"),
        "After the last one customers are answered by email only, until midnight. Raise the daily budget in \
               Settings if these were real customers."
            .to_owned(),
    )
}

/// Rules would have texted many neighbouring numbers.
pub(super) fn braked(dedupe_key: String) -> NewAlert {
    NewAlert::new(
        Kind::TextsBraked,
        dedupe_key,
        "Automatic texts to neighbouring numbers were stopped".to_owned(),
        "Many new numbers with the same first digits came in within an hour, as when somebody abuses the form to \
               run up your bill. They are answered by email where they left an address. Look at the newest leads; the \
               limit is in Settings."
            .to_owned(),
    )
}

/// Texts about visits that nothing shows the customers to have booked had their part of the day's budget.
pub(super) fn bookings(dedupe_key: String) -> NewAlert {
    NewAlert::new(
        Kind::TextsBraked,
        dedupe_key,
        "Automatic texts about visits booked online were stopped".to_owned(),
        "A quarter of today's automatic texts told of visits that were booked or changed online in your \
               customers' names, and that nothing shows to be the customers' own. The rest is kept for others until midnight. Look at the \
               newest visits, and call who you are not sure of."
            .to_owned(),
    )
}

/// More requests came in within an hour than are answered by text.
pub(super) fn flood(dedupe_key: String) -> NewAlert {
    NewAlert {
        is_urgent: true,
        ..NewAlert::new(
            Kind::RequestFlood,
            dedupe_key,
            "More than 100 requests came in within an hour".to_owned(),
            "What is beyond is answered by email only, and waits on the list of leads until you let it through: texts \
               to people who never asked are costly."
                .to_owned(),
        )
    }
}

/// Somebody may have asked not to be texted.
pub(super) fn doubt(lead: Option<LeadId>, name: &str, provider_id: &str, said: &str) -> NewAlert {
    let said: String = said.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUOTED).collect();
    NewAlert {
        lead,
        ..NewAlert::new(
            Kind::OptOutDoubt,
            format!("doubt:{provider_id}"),
            format!("Did {name} ask you to stop texting?"),
            format!("They wrote \"{said}\". Nothing is texted to them until you say what they meant."),
        )
    }
}

/// A text to a customer was refused.
pub(super) fn unsent(
    lead: LeadId,
    name: &str,
    message: MessageId,
    reason: &str,
    text_link: Option<String>,
) -> NewAlert {
    let next = if text_link.is_some() { THEY_WAIT } else { THEY_WAIT_FOR_WORD };
    NewAlert {
        lead: Some(lead),
        text_link,
        ..NewAlert::new(
            Kind::TextNotSent,
            format!("unsent:{message}"),
            format!("Your text to {name} was not sent"),
            format!("The reason: {reason}.{next}"),
        )
    }
}

/// A text to a customer was refused because no text reaches their number. Once for a lead.
pub(super) fn unreachable(lead: LeadId, name: &str, email: Option<&str>, reason: &str) -> NewAlert {
    let advice = match email {
        Some(email) => format!("Call them, or write to {email}: no text reaches this number."),
        None => "Call them, or check the number: no text reaches it.".to_owned(),
    };
    NewAlert {
        lead: Some(lead),
        ..NewAlert::new(
            Kind::TextNotSent,
            format!("unreachable:{lead}"),
            format!("Your text to {name} was not sent"),
            format!("The reason: {reason}. {advice}"),
        )
    }
}

/// Texts get through to nobody.
pub(super) fn trouble(dedupe_key: String, reason: &str, advice: &str) -> NewAlert {
    NewAlert::new(
        Kind::TextingTrouble,
        dedupe_key,
        "Your texts are not getting through".to_owned(),
        format!("The reason: {reason}. {advice}"),
    )
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::domain::messaging::alert::Alert;

    #[test]
    fn what_a_tap_opens_is_what_the_alert_speaks_of() {
        let alert = |new: NewAlert| Alert {
            org_id: crate::platform::id::OrgId(uuid::Uuid::nil()),
            id: crate::platform::id::AlertId(uuid::Uuid::nil()),
            lead_id: new.lead,
            kind: new.kind,
            title: new.title,
            body: new.body,
            is_urgent: new.is_urgent,
            created_at: DateTime::UNIX_EPOCH,
            due_at: DateTime::UNIX_EPOCH,
            told_at: None,
            step: 0,
            climbs_at: None,
            seen_at: None,
            text_link: new.text_link,
            path: new.path,
            account_id: new.account,
        };
        let key = || "key".to_owned();
        for new in [budget(key(), 9), budget_near(key(), 8, 9), trouble(key(), "no", "Look.")] {
            assert_eq!(alert(new).path(), "/app/settings?tab=automation");
        }
        for new in [braked(key()), flood(key())] {
            assert_eq!(alert(new).path(), "/app/leads");
        }
        let lead = Some(LeadId(uuid::Uuid::nil()));
        let job = alert(NewAlert { lead, path: Some("/app/jobs/7".to_owned()), ..flood(key()) });
        assert_eq!((job.path().as_str(), job.tag().as_str()), ("/app/jobs/7", "job:7"));
    }
}
