//! Notices to the owners when texting does not work for a business: by email and on devices, once a day for each cause.

use serde::Serialize;

use super::{Draft, MessageKind, NewMessage, queue_messages};
use crate::{
    documents::template::EmailPage,
    domain::messaging::alert,
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        email_address::EmailAddress,
        error::Result,
        id::{AccountId, MessageId, OrgId},
        text_enum::display_serialized,
    },
    providers::RefusalReason,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SmsHealthProblem {
    Account,
    /// The carriers do not know this business.
    Unregistered,
    DailyLimit,
    Filtered,
    SetUp,
}

display_serialized!(SmsHealthProblem);

/// Codes about one receiver, which say nothing of the set-up as a whole.
const ABOUT_ONE_RECEIVER: [i32; 2] = [21408, 21612];

impl SmsHealthProblem {
    /// None when it is about one message or one person.
    pub(super) fn from_refusal(code: Option<i32>, kind: RefusalReason) -> Option<Self> {
        match (kind, code) {
            (RefusalReason::ChannelBroken, Some(30034)) => Some(Self::Unregistered),
            (RefusalReason::ChannelBroken, _) => Some(Self::Account),
            (RefusalReason::SetUp, Some(code)) if ABOUT_ONE_RECEIVER.contains(&code) => None,
            (RefusalReason::SetUp, _) => Some(Self::SetUp),
            _ => None,
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Self::Account => {
                "Texts wait and are tried again every quarter of an hour. What is older than a day is left for you to send again. Check the account at Twilio: its balance, its standing, and the credentials."
            }
            Self::Unregistered => {
                "No text is sent until the number is registered. Register the business and the number in the Twilio Console under Trust Hub, A2P 10DLC; then set the registration to approved under Settings, Automation, Sending."
            }
            Self::DailyLimit => {
                "Texts wait and are tried again every hour. Raise the limit with Twilio if this happens often."
            }
            Self::Filtered => {
                "Three or more texts were blocked within 24 hours. Look at the wording: links, capital letters and offers are filtered most. Check that the number is registered."
            }
            Self::SetUp => {
                "Texts fail until this is corrected in the Twilio Console or in the settings of this install."
            }
        }
    }
}

pub(super) async fn notify_owners(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    trouble: SmsHealthProblem,
    reason: &str,
) -> Result<()> {
    let owners = q!(
        &mut *tx,
        fetch_all as (AccountId, EmailAddress),
        "SELECT id, email FROM account WHERE org_id = $1 AND role = 'owner' AND is_active",
        org
    )?;
    let notices: Vec<NewMessage> =
        owners.into_iter().map(|(account, email)| build_owner_email(origin, account, email, trouble, reason)).collect();
    queue_messages(tx, origin, org, &notices).await?;
    let key = format!("trouble:{trouble}:{}", utc_day(origin));
    alert::alert_sms_health(tx, origin, org, key, (reason, trouble.advice())).await
}

fn utc_day(origin: &ClockRng) -> String {
    origin.now().format("%Y-%m-%d").to_string()
}

fn build_owner_email(
    origin: &ClockRng,
    account: AccountId,
    email: EmailAddress,
    trouble: SmsHealthProblem,
    reason: &str,
) -> NewMessage {
    let body = format!("Texts to your customers are not getting through: {reason}.\n\n{}", trouble.advice());
    let page = EmailPage {
        text: Some(body.clone()),
        footer: "You get this mail because you own the business.".to_owned(),
        ..EmailPage::default()
    };
    let key = format!("trouble:{trouble}:{account}:{}", utc_day(origin));
    let draft = Draft {
        subject: Some("Your texts are not getting through".to_owned()),
        page: Some(page),
        ..Draft::new(MessageKind::AccountNotice, email, body, key)
    };
    draft.with_id(MessageId(origin.uuid_v7()))
}
