//! Withdrawal of what an earlier yes from the number confirmed, when a later text denies the request, asks who we are,
//! asks to stop, or names another email. Of a recent yes the email is withdrawn in doubt too.

use chrono::{DateTime, Duration, Utc};

use super::InboundSms;
use crate::{
    domain::{
        intake::{contact_point, customer, lead},
        messaging::{
            opt_out::TextIntent,
            request_denial::{
                is_asking_for_sender, is_doubtful_after_yes, is_name_denied, is_request_denied, may_deny_name,
            },
        },
        tenancy::org::OrgContext,
    },
    platform::{
        db::{Tx, q},
        email_address::EmailAddress,
        error::Result,
        id::{CustomerId, OrgId},
        phone::Phone,
    },
};

/// As long as a text can answer a form.
const DENIAL_LASTS: Duration = Duration::hours(48);
/// Latest texts of the number that are searched for a denial.
const MOST_TEXTS: i64 = 20;

/// Not for a number that is set aside: it confirmed nothing.
pub(super) async fn withdraw_if_denied(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    text: &InboundSms<'_>,
    phone: &Phone,
    intent: TextIntent,
) -> Result<()> {
    let org = intake.profile.org.id;
    let named = list_named_emails(text.body);
    let is_doubtful = named.is_empty() && is_doubtful_after_yes(text.body);
    let is_refused = is_request_denied(text.body)
        || matches!(intent, TextIntent::Stop | TextIntent::Pause)
        || is_asking_for_sender(text.body);
    if !is_refused && !is_doubtful && named.is_empty() && !may_deny_name(text.body) {
        return Ok(());
    }
    let Some((customer, _)) = customer::find_by_phone(&mut *tx, org, phone).await? else { return Ok(()) };
    let at = text.came_at.unwrap_or(intake.origin.now());
    let is_denied = is_request_denied(text.body)
        || (may_deny_name(text.body) && denies_typed_name(&mut *tx, org, customer, phone, &[text.body]).await?);
    let is_refused = is_refused || is_denied;
    if is_denied {
        lead::withdraw_confirmation(&mut *tx, org, customer, phone, at).await?;
    }
    if is_refused {
        // STOP, or a question who we are, may be about a later message, so it takes back only a recent name.
        let since = if is_denied { DateTime::UNIX_EPOCH } else { at - DENIAL_LASTS };
        lead::withdraw_adopted_name(&mut *tx, org, customer, phone, since).await?;
    }
    let since = if is_doubtful && !is_refused { at - DENIAL_LASTS } else { DateTime::UNIX_EPOCH };
    let named = (!is_refused && !is_doubtful).then_some(&named[..]);
    contact_point::withdraw_confirmed_emails(tx, org, customer, named, (since, at)).await
}

/// Whether one of these texts says that the sender is not the person whose name a form with their number typed.
async fn denies_typed_name(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    phone: &Phone,
    texts: &[&str],
) -> Result<bool> {
    let names = lead::list_typed_person_names(&mut *tx, org, customer, phone).await?;
    Ok(texts.iter().any(|text| is_name_denied(text, &names)))
}

/// After a plain yes. "Ok thanks" soon after a denial answers our apology, not the request.
pub(super) async fn confirm_unless_denied(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    phone: &Phone,
    at: DateTime<Utc>,
) -> Result<()> {
    let sql = "SELECT body FROM message WHERE org_id = $1 AND customer_id = $2 AND direction = 'in'
         AND from_address = $3 AND created_at >= $4 ORDER BY created_at DESC LIMIT $5";
    let since = at - DENIAL_LASTS;
    let earlier = q!(&mut *tx, fetch_all scalar String, sql, org, customer, phone.as_e164(), since, MOST_TEXTS)?;
    let earlier: Vec<&str> = earlier.iter().map(String::as_str).collect();
    let is_denied = earlier.iter().any(|body| is_request_denied(body));
    if is_denied || denies_typed_name(&mut *tx, org, customer, phone, &earlier).await? {
        return Ok(());
    }
    lead::confirm_by_text(tx, org, customer, phone, at).await
}

fn list_named_emails(text: &str) -> Vec<EmailAddress> {
    let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '<' | '>' | '(' | ')' | '"');
    let words = text.split(is_between).filter(|word| word.contains('@'));
    words.filter_map(|word| EmailAddress::parse(word.trim_matches(|c: char| !c.is_alphanumeric()))).collect()
}

#[cfg(test)]
mod tests {
    use super::{EmailAddress, list_named_emails};

    #[test]
    fn emails_are_found_among_the_words_of_a_text() {
        let found = |text| list_named_emails(text).into_iter().map(EmailAddress::into_string).collect::<Vec<_>>();
        assert_eq!(found("My email is Vera@good.example, please send it there"), ["vera@good.example"]);
        assert_eq!(found("mailto:vera@good.example."), ["vera@good.example"]);
        assert_eq!(found("See you @ 5"), Vec::<String>::new());
    }
}
