//! Security notices to a person about changes of their own account, so that they notice changes by others (trust
//! requirement 55).

use crate::{
    documents::template::EmailPage,
    domain::{
        messaging::message::{MessageDraft, MessageKind, queue_messages},
        tenancy::{
            account::{self, Account, PreProofCredentials, Role},
            org, security,
        },
    },
    platform::{
        clock::ClockRng,
        db::Tx,
        error::{Error, Result},
        id::{AccountId, MessageId, OrgId},
        public_url::PublicUrl,
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecurityEvent<'a> {
    PasswordChanged,
    /// By a mailed link, with the count of passkeys that it removed.
    PasswordReset {
        passkeys: i64,
    },
    PasskeyAdded {
        name: &'a str,
    },
    PasskeyRemoved {
        name: &'a str,
    },
    SecondFactorOn,
    SecondFactorOff,
    /// By an owner or an operator, for a lost phone.
    SecondFactorForgotten,
    RecoveryCodeUsed {
        left: usize,
    },
    RecoveryCodesRenewed,
    ApiKeyMade,
    HookAdded,
    /// An owner was invited: all owners are notified.
    OwnerInvited {
        who: &'a str,
    },
    /// The address was confirmed, and these earlier credentials were removed.
    AddressProven {
        gone: PreProofCredentials,
    },
    /// A new owner: all owners are notified.
    OwnerMade {
        who: &'a str,
    },
}

impl SecurityEvent<'_> {
    fn name(self) -> &'static str {
        match self {
            Self::PasswordChanged | Self::PasswordReset { .. } => "password_changed",
            Self::PasskeyAdded { .. } => "passkey_added",
            Self::PasskeyRemoved { .. } => "passkey_removed",
            Self::SecondFactorOn => "second_factor_on",
            Self::SecondFactorOff => "second_factor_off",
            Self::SecondFactorForgotten => "second_factor_forgotten",
            Self::RecoveryCodeUsed { .. } => "recovery_code_used",
            Self::RecoveryCodesRenewed => "recovery_codes_renewed",
            Self::ApiKeyMade => "api_key_made",
            Self::HookAdded => "hook_added",
            Self::OwnerInvited { .. } => "owner_invited",
            Self::AddressProven { .. } => "address_proven",
            Self::OwnerMade { .. } => "owner_made",
        }
    }

    /// Without typed text.
    fn without_user_text(self) -> Self {
        match self {
            Self::PasskeyAdded { .. } => Self::PasskeyAdded { name: "new" },
            Self::PasskeyRemoved { .. } => Self::PasskeyRemoved { name: "old" },
            Self::OwnerInvited { .. } => Self::OwnerInvited { who: "Someone" },
            Self::OwnerMade { .. } => Self::OwnerMade { who: "Someone" },
            other => other,
        }
    }

    fn subject(self) -> &'static str {
        match self {
            Self::PasswordChanged | Self::PasswordReset { .. } => "Your password was changed",
            Self::PasskeyAdded { .. } => "A passkey was added",
            Self::PasskeyRemoved { .. } => "A passkey was removed",
            Self::SecondFactorOn => "Two-step sign-in is on",
            Self::SecondFactorOff | Self::SecondFactorForgotten => "Two-step sign-in is off",
            Self::RecoveryCodeUsed { .. } => "A recovery code was used",
            Self::RecoveryCodesRenewed => "You have new recovery codes",
            Self::ApiKeyMade => "A key for another program was made",
            Self::HookAdded => "A webhook was added",
            Self::OwnerInvited { .. } => "Someone was invited to own your business with you",
            Self::AddressProven { .. } => "Your email address is confirmed",
            Self::OwnerMade { .. } => "Your business has another owner",
        }
    }

    fn body_text(self) -> String {
        match self {
            Self::PasswordChanged | Self::PasswordReset { passkeys: 0 } => {
                "Your password was changed. Every other device was signed out and no longer gets alerts.".to_owned()
            }
            Self::PasswordReset { passkeys } => passkeys_removed_text(passkeys),
            Self::PasskeyAdded { name } => {
                format!("The passkey \"{name}\" was added. It signs in to your account without a password or a code.")
            }
            Self::PasskeyRemoved { name } => format!(
                "The passkey \"{name}\" was removed. It no longer works, and every other device was signed out."
            ),
            Self::SecondFactorOn => {
                "From now on signing in asks for a code from your authenticator app. Every other device \
                was signed out and no longer gets alerts."
                    .to_owned()
            }
            Self::SecondFactorOff => {
                "Signing in asks for your password only. Every other device was signed out and no longer \
                gets alerts."
                    .to_owned()
            }
            Self::SecondFactorForgotten => {
                "An owner of your business, or the person who runs this Toolbox, removed your \
                authenticator app, as for a lost phone. Every device was signed out."
                    .to_owned()
            }
            Self::RecoveryCodeUsed { left: 0 } => {
                "Someone signed in with the last of your recovery codes. Make new ones \
                now: without them a lost phone locks you out."
                    .to_owned()
            }
            Self::RecoveryCodeUsed { left: 1 } => {
                "Someone signed in with one of your recovery codes. One is left: make new ones soon.".to_owned()
            }
            Self::RecoveryCodeUsed { left } => {
                format!("Someone signed in with one of your recovery codes. {left} are left.")
            }
            Self::RecoveryCodesRenewed => "Ten new recovery codes were made. The old ones no longer work.".to_owned(),
            Self::ApiKeyMade => {
                "With your sign-in a key was made that lets another program act for your business. It keeps working \
                 when you sign out; a new password by email removes it, and so do the settings."
                    .to_owned()
            }
            Self::HookAdded => {
                "With your sign-in a webhook was added: another program gets the events of your business until \
                 someone removes it in the settings."
                    .to_owned()
            }
            Self::OwnerInvited { who } => {
                format!("{who} was invited as an owner. Anyone who uses that link within seven days has full access.")
            }
            Self::AddressProven { gone } => address_proven(gone),
            Self::OwnerMade { who } => format!("{who} is now an owner and can do everything you can."),
        }
    }

    /// Advice for an unwanted change. `describe_other_owners` names the contacts.
    fn advice(self, others: Option<&str>) -> String {
        let anew = "choose a new password with \"Forgot your password?\" on the sign-in page right away";
        match self {
            Self::OwnerInvited { .. } => {
                format!("If none of you meant this, cancel the invitation in the list of people, and {anew}.")
            }
            Self::OwnerMade { .. } => {
                format!("If none of you meant this, change it in the list of people, and {anew}.")
            }
            _ => match others {
                Some(others) => format!("If it was not you, {anew}, and tell {others}."),
                None => format!("If it was not you, {anew}."),
            },
        }
    }
}

fn address_proven(gone: PreProofCredentials) -> String {
    let confirmed_text = "Your email address is confirmed. Every other device was signed out.";
    match gone.describe_removed() {
        Some(gone) => {
            format!("{confirmed_text} What was set up before was removed: {gone}. Set up again what you need.")
        }
        None => confirmed_text.to_owned(),
    }
}

/// Other contacts for this account; none for the only owner.
async fn describe_other_owners(tx: &mut Tx, account: &Account, business: &str) -> Result<Option<String>> {
    if account.role != Role::Owner {
        return Ok(Some(format!("the owner of {business}")));
    }
    let is_alone = security::list_owners(tx, account.org_id).await?.iter().all(|owner| owner.id == account.id);
    Ok((!is_alone).then(|| format!("the other owners of {business}")))
}

fn passkeys_removed_text(passkeys: i64) -> String {
    let removed = if passkeys == 1 {
        "Your passkey was removed and no longer signs in: add a new one in Your account."
    } else {
        "Your passkeys were removed and no longer sign in: add new ones in Your account."
    };
    format!("Your password was changed. Every other device was signed out and no longer gets alerts. {removed}")
}

pub async fn notify_owners(
    tx: &mut Tx,
    origin: &ClockRng,
    public_url: &PublicUrl,
    (org, but): (OrgId, Option<AccountId>),
    event: SecurityEvent<'_>,
) -> Result<()> {
    for owner in security::list_owners(&mut *tx, org).await? {
        if Some(owner.id) != but {
            let account = account::get(&mut *tx, org, owner.id).await?;
            notify_account(&mut *tx, origin, public_url, &account, event).await?;
        }
    }
    Ok(())
}

pub async fn notify_account(
    tx: &mut Tx,
    origin: &ClockRng,
    public_url: &PublicUrl,
    account: &Account,
    event: SecurityEvent<'_>,
) -> Result<()> {
    let org = org::find(&mut *tx, account.org_id).await?.ok_or(Error::NotFound)?;
    let id = MessageId(origin.uuid_v7());
    let address = public_url.join("/login");
    let account::MailAddressee { greeting, business, is_unproven } =
        account::load_mail_addressee(&mut *tx, account, &org).await?;
    let event = if is_unproven { event.without_user_text() } else { event };
    let others = describe_other_owners(&mut *tx, account, &business).await?;
    let words = format!("{greeting}\n\n{}\n\n{}", event.body_text(), event.advice(others.as_deref()));
    let body = format!("{words}\n\nSign in: {address}");
    let mail = MessageDraft {
        subject: Some(event.subject().to_owned()),
        page: Some(EmailPage {
            text: Some(words),
            button: Some(("Sign in".to_owned(), address)),
            footer: "You get this email because it is about the safety of your account.".to_owned(),
            ..EmailPage::default()
        }),
        // A unique key: every event is sent.
        ..MessageDraft::new(
            MessageKind::AccountNotice,
            account.email.clone(),
            body,
            format!("account:{}:{id}:email", event.name()),
        )
    };
    queue_messages(tx, origin, org.id, &[mail.with_id(id)]).await?;
    Ok(())
}
