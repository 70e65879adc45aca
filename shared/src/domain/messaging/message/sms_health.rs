//! Texting does not work for a business: its owner is told, by email and on the devices, once a day for each trouble.

use super::{Channel, Draft, Kind, NewMessage, queue};
use crate::{
    documents::template::Page,
    domain::messaging::alert,
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::Result,
        id::{AccountId, MessageId, OrgId},
    },
    providers::Refusal,
};

/// What is wrong, as far as it needs another sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The account with the provider does not work.
    Account,
    /// The carriers do not know this business.
    Unregistered,
    /// No more texts today.
    DailyLimit,
    /// Carriers block or filter what is sent.
    Filtered,
    /// A setting with the provider must be corrected.
    SetUp,
}

/// Codes that are about one receiver and say nothing of the set-up as a whole.
const ABOUT_ONE_RECEIVER: [i32; 2] = [21408, 21612];

impl Trouble {
    /// The trouble behind a refusal; none when it is about one message or one person.
    pub(super) fn of(code: Option<i32>, kind: Refusal) -> Option<Self> {
        match (kind, code) {
            (Refusal::ChannelBroken, Some(30034)) => Some(Self::Unregistered),
            (Refusal::ChannelBroken, _) => Some(Self::Account),
            (Refusal::SetUp, Some(code)) if ABOUT_ONE_RECEIVER.contains(&code) => None,
            (Refusal::SetUp, _) => Some(Self::SetUp),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Unregistered => "unregistered",
            Self::DailyLimit => "daily_limit",
            Self::Filtered => "filtered",
            Self::SetUp => "set_up",
        }
    }

    /// What happens now, and what the owner can do.
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

/// Tells the owners, once a day for each trouble.
pub(super) async fn tell(tx: &mut Tx, origin: &Origin, org: OrgId, trouble: Trouble, reason: &str) -> Result<()> {
    let owners = q!(
        &mut *tx,
        fetch_all as (AccountId, String),
        "SELECT id, email FROM account WHERE org_id = $1 AND role = 'owner' AND is_active",
        org
    )?;
    let notices: Vec<NewMessage> =
        owners.into_iter().map(|(account, email)| notice(origin, account, email, trouble, reason)).collect();
    queue(tx, origin, org, &notices).await?;
    let key = format!("trouble:{}:{}", trouble.name(), day(origin));
    alert::note_trouble(tx, origin, org, key, (reason, trouble.advice())).await
}

fn day(origin: &Origin) -> String {
    origin.now().format("%Y-%m-%d").to_string()
}

fn notice(origin: &Origin, account: AccountId, email: String, trouble: Trouble, reason: &str) -> NewMessage {
    let body = format!("Texts to your customers are not getting through: {reason}.\n\n{}", trouble.advice());
    let page = Page {
        text: Some(body.clone()),
        footer: "You get this mail because you own the business.".to_owned(),
        ..Page::default()
    };
    let key = format!("trouble:{}:{account}:{}", trouble.name(), day(origin));
    let draft = Draft {
        subject: Some("Your texts are not getting through".to_owned()),
        page: Some(page),
        ..Draft::new(Channel::Email, Kind::AccountNotice, email, body, key)
    };
    draft.under(MessageId(origin.uuid()))
}
