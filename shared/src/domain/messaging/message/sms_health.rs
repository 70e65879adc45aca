//! Notices to the owners when texting does not work for a business: by email and on devices, once a day for each cause.

use serde::Serialize;

use super::{
    MessageChannel, MessageDraft, MessageKind, NewMessage, provider_trouble::TroubleCause, queue_messages,
    send::ClaimedMessage,
};
use crate::{
    documents::template::EmailPage,
    domain::{
        messaging::{alert, sending_number},
        tenancy::trust_level,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        email_address::EmailAddress,
        error::Result,
        id::{AccountId, MessageId, OrgId},
        phone::Phone,
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
/// Codes about the sending number of the text.
const ABOUT_SENDING_NUMBER: [i32; 4] = [21212, 21606, 21659, 21660];

impl SmsHealthProblem {
    /// None when it is about one message or one person.
    pub(super) fn from_refusal(code: Option<i32>, kind: RefusalReason) -> Option<Self> {
        match (kind, code) {
            (RefusalReason::ChannelBroken, Some(30032 | 30034)) => Some(Self::Unregistered),
            (RefusalReason::ChannelBroken, _) => Some(Self::Account),
            (RefusalReason::SetUp, Some(code)) if ABOUT_ONE_RECEIVER.contains(&code) => None,
            (RefusalReason::SetUp, _) => Some(Self::SetUp),
            _ => None,
        }
    }

    /// Trouble of the install, which only its operators can end.
    fn install_cause(self, code: Option<i32>) -> Option<TroubleCause> {
        match self {
            Self::Account | Self::DailyLimit => Some(TroubleCause::from_account_code(MessageChannel::Sms, code)),
            Self::SetUp => Some(TroubleCause::Service),
            Self::Unregistered | Self::Filtered => None,
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Self::Account => {
                "Texts wait and are tried again every quarter of an hour. What is older than a day is left for you to send again. Check the account at Twilio: its balance, its standing, and the credentials."
            }
            Self::Unregistered => {
                "No text is sent until the number is registered. Register the business and the number in the Twilio Console under Trust Hub, A2P 10DLC; then set the registration to approved under Settings, Daily limits."
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

const OWNER_TITLE: &str = "Texts are not going out right now";
const OWNER_BODY: &str = "The cause is in the set-up of Toolbox, not in your settings. Email still works. Text urgent customers from your own phone.";
const NUMBER_TITLE: &str = "Texts from your number are not going out";
const NUMBER_BODY: &str = "Your texting number cannot send. These texts are not tried again. Ask the people who run your Toolbox to check the number. Email still works. Text urgent customers from your own phone.";

/// What the owners read. Provider and set-up are the operators' words.
struct OwnerNotice {
    title: &'static str,
    mail: String,
    alert: String,
}

impl OwnerNotice {
    fn for_operator(trouble: SmsHealthProblem, reason: &str) -> Self {
        let advice = trouble.advice();
        Self {
            title: "Your texts are not getting through",
            mail: format!("Texts to your customers are not getting through: {reason}.\n\n{advice}"),
            alert: format!("The reason: {reason}. {advice}"),
        }
    }

    fn for_tenant(trouble: SmsHealthProblem, is_of_install: bool, reason: &str) -> Self {
        let (title, body) = match trouble {
            _ if is_of_install => (OWNER_TITLE, OWNER_BODY),
            SmsHealthProblem::SetUp => (NUMBER_TITLE, NUMBER_BODY),
            _ => return Self::for_operator(trouble, reason),
        };
        Self { title, mail: format!("{title}. {body}"), alert: body.to_owned() }
    }
}

/// Cause in the install's own accounts. A business's own number that does not send concerns no other business.
pub(super) async fn find_install_cause(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    (trouble, code): (SmsHealthProblem, Option<i32>),
) -> Result<Option<TroubleCause>> {
    let is_about_number =
        trouble == SmsHealthProblem::SetUp && code.is_some_and(|code| ABOUT_SENDING_NUMBER.contains(&code));
    let own_number = message.org_sms_number.as_ref().map(Phone::as_e164).filter(|_| is_about_number);
    match own_number {
        Some(number) if !sending_number::is_install_sender(conn, number).await? => Ok(None),
        _ => Ok(trouble.install_cause(code)),
    }
}

pub(super) async fn notify_owners(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (trouble, cause): (SmsHealthProblem, Option<TroubleCause>),
    reason: &str,
) -> Result<()> {
    let notice = if trust_level::is_only_org(&mut *tx, org).await? {
        OwnerNotice::for_operator(trouble, reason)
    } else {
        OwnerNotice::for_tenant(trouble, cause.is_some(), reason)
    };
    let owners = q!(
        &mut *tx,
        fetch_all as (AccountId, EmailAddress),
        "SELECT id, email FROM account WHERE org_id = $1 AND role = 'owner' AND is_active",
        org
    )?;
    let notices: Vec<NewMessage> = owners
        .into_iter()
        .map(|(account, email)| build_owner_email(origin, account, email, trouble, &notice))
        .collect();
    queue_messages(tx, origin, org, &notices).await?;
    let key = format!("trouble:{trouble}:{}", utc_day(origin));
    alert::alert_channel_trouble(tx, origin, org, key, (notice.title, &notice.alert)).await
}

fn utc_day(origin: &ClockRng) -> String {
    origin.now().format("%Y-%m-%d").to_string()
}

fn build_owner_email(
    origin: &ClockRng,
    account: AccountId,
    email: EmailAddress,
    trouble: SmsHealthProblem,
    notice: &OwnerNotice,
) -> NewMessage {
    let body = notice.mail.clone();
    let page = EmailPage {
        text: Some(body.clone()),
        footer: "You get this email because you own the business.".to_owned(),
        ..EmailPage::default()
    };
    let key = format!("trouble:{trouble}:{account}:{}", utc_day(origin));
    let draft = MessageDraft {
        subject: Some(notice.title.to_owned()),
        page: Some(page),
        ..MessageDraft::new(MessageKind::AccountNotice, email, body, key)
    };
    draft.with_id(MessageId(origin.uuid_v7()))
}
