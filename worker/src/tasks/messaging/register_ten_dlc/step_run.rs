//! How a step is carried out by its kind, and how its outcome is stored.

use shared::{
    domain::messaging::texting_registration::ten_dlc::{
        BrandType, StepKind, TenDlcProgress, TenDlcStep, calls::StepCall, reasons, store,
    },
    platform::error::Result,
    providers::{
        SendError,
        sms::{A2pFault, A2pResource},
    },
};

use super::{StepRun, fail, retry_or_give_up};

impl StepRun<'_> {
    /// The step whose part this one submits, follows or makes.
    fn known_sid(&self) -> Option<&str> {
        let part = match self.step {
            TenDlcStep::SubmitProfile | TenDlcStep::ReviewProfile => TenDlcStep::CustomerProfile,
            TenDlcStep::SubmitProduct | TenDlcStep::ReviewProduct => TenDlcStep::TrustProduct,
            TenDlcStep::ReviewBrand => TenDlcStep::Brand,
            TenDlcStep::ReviewCampaign => TenDlcStep::Campaign,
            step => step,
        };
        self.progress.find_sid(part)
    }

    /// Looks for the part before it is made, changed or sent again.
    pub(super) async fn ensure_part(&self) -> Result<()> {
        match (self.known_sid(), self.step.step_kind()) {
            (None, _) => match self.find_part().await {
                Ok(Some(found)) => self.record_found(&found).await,
                Ok(None) => self.post_once(None).await,
                Err(error) => self.stop_or_retry(&error).await,
            },
            (Some(sid), StepKind::Describe) => {
                match self.context.sms.post_a2p(&self.call.collection, Some(sid), &self.call.change).await {
                    Ok(_) => self.advance(self.progress.clone()).await,
                    // The change may be repeated.
                    Err(error) => self.stop_or_retry(&error).await,
                }
            }
            (Some(sid), StepKind::Charge) => match self.fetch_part(sid).await {
                Ok(found) if is_turned_down(&found) => self.post_once(Some(sid)).await,
                Ok(_) => self.advance(self.progress.clone()).await,
                Err(error) => self.stop_or_retry(&error).await,
            },
            (Some(_), _) => self.advance(self.progress.clone()).await,
        }
    }

    async fn find_part(&self) -> std::result::Result<Option<A2pResource>, SendError> {
        let StepCall { collection, search, .. } = &self.call;
        let listed = self.context.sms.list_a2p(collection, search.friendly_name()).await?;
        Ok(listed.into_iter().find(|found| search.matches_part(found)))
    }

    async fn fetch_part(&self, sid: &str) -> std::result::Result<A2pResource, SendError> {
        self.context.sms.fetch_a2p(&self.call.collection, sid).await
    }

    /// The step is marked before the call, so that no other worker makes it meanwhile or after a cut answer.
    async fn post_once(&self, sid: Option<&str>) -> Result<()> {
        let (context, one) = (self.context, self.registration);
        let mut tx = context.db.begin().await?;
        let is_ours = store::mark_step_sending(&mut tx, &context.origin, one, self.step).await?;
        tx.commit().await?;
        if !is_ours {
            return Ok(());
        }
        let form = if sid.is_some() { &self.call.change } else { &self.call.form };
        match context.sms.post_a2p(&self.call.collection, sid, form).await {
            Ok(made) => self.advance(self.with_part(&made)).await,
            Err(SendError::Unknown { .. }) => self.schedule_check().await,
            Err(error @ (SendError::Retry { .. } | SendError::Busy { .. })) => {
                let mut tx = context.db.begin().await?;
                store::mark_step_unsent(&mut tx, one, self.step).await?;
                tx.commit().await?;
                retry_or_give_up(context, one, self.step, &error).await
            }
            Err(error) => fail(context, one, self.step, reasons::explain_refusal(&error)).await,
        }
    }

    /// No answer came, or a worker died meanwhile: Twilio's list decides.
    pub(super) async fn settle_doubt(&self) -> Result<()> {
        if self.context.origin.now() < self.registration.next_check() {
            return self.schedule_check().await;
        }
        let found = match self.known_sid() {
            Some(sid) => self.fetch_part(sid).await.map(|found| Some(found).filter(|found| !is_turned_down(found))),
            None => self.find_part().await,
        };
        match found {
            // As long as Twilio cannot be asked, nothing is known.
            Err(_) => self.look_later().await,
            Ok(Some(found)) => self.record_found(&found).await,
            Ok(None) => {
                let mut tx = self.context.db.begin().await?;
                store::record_step_absence(&mut tx, &self.context.origin, self.registration, self.step).await?;
                tx.commit().await?;
                self.context.announcer.notify_changed();
                Ok(())
            }
        }
    }

    async fn schedule_check(&self) -> Result<()> {
        let (org, mut tx) = (self.registration.org_id, self.context.db.begin().await?);
        // It knows when it was sent.
        if let Some(sent) = store::find_ten_dlc(&mut tx, org).await? {
            store::schedule_step_check(&mut tx, &self.context.origin, &sent, self.step).await?;
        }
        tx.commit().await
    }

    /// Twilio could not be asked about what it has: the state stays.
    async fn look_later(&self) -> Result<()> {
        let mut tx = self.context.db.begin().await?;
        store::schedule_later_look(&mut tx, &self.context.origin, self.registration, self.step).await?;
        tx.commit().await
    }

    /// Twilio says at once what it would turn down. May be repeated.
    pub(super) async fn evaluate_bundle(&self) -> Result<()> {
        match self.context.sms.post_a2p(&self.call.collection, None, &self.call.form).await {
            Ok(found) if found.status == "compliant" => self.advance(self.progress.clone()).await,
            Ok(found) => self.reject(&found.faults).await,
            Err(error) => self.stop_or_retry(&error).await,
        }
    }

    /// Hands the bundle to Twilio for review, unless it is there already. May be repeated.
    pub(super) async fn submit_bundle(&self) -> Result<()> {
        let Some(sid) = self.known_sid() else { return Ok(()) };
        let posted = match self.fetch_part(sid).await {
            Ok(found) if matches!(found.status.as_str(), "pending-review" | "in-review") => Ok(found),
            Ok(_) => self.context.sms.post_a2p(&self.call.collection, Some(sid), &self.call.change).await,
            Err(error) => Err(error),
        };
        match posted {
            Ok(_) => self.advance(self.progress.clone()).await,
            Err(error) => self.stop_or_retry(&error).await,
        }
    }

    pub(super) async fn follow_review(&self) -> Result<()> {
        let Some(sid) = self.known_sid() else { return Ok(()) };
        let Ok(found) = self.fetch_part(sid).await else { return self.look_later().await };
        let is_approved = matches!(found.status.as_str(), "twilio-approved" | "approved" | "verified");
        // Twilio texts the owner when the registry has taken the brand up.
        let waits_for_owner = is_approved
            && found.is_unverified
            && self.step == TenDlcStep::ReviewBrand
            && self.progress.brand_type == BrandType::SoleProprietor;
        if is_turned_down(&found) {
            return self.reject(&found.faults).await;
        }
        if is_approved && !waits_for_owner {
            return self.advance(self.progress.clone()).await;
        }
        let mut tx = self.context.db.begin().await?;
        let (origin, one) = (&self.context.origin, self.registration);
        store::record_review(&mut tx, origin, one, self.step, waits_for_owner).await?;
        tx.commit().await?;
        self.context.announcer.notify_changed();
        Ok(())
    }

    fn with_part(&self, made: &A2pResource) -> TenDlcProgress {
        let progress = self.progress.clone();
        // An assignment has no id that later steps need.
        if self.step.step_kind() == StepKind::Assign { progress } else { progress.with_sid(self.step, &made.sid) }
    }

    /// What is found may hold the words of an earlier attempt: a description is written again.
    async fn record_found(&self, found: &A2pResource) -> Result<()> {
        let progress = self.with_part(found);
        if self.step.step_kind() == StepKind::Describe {
            return self.record(Some(self.step), progress).await;
        }
        self.advance(progress).await
    }

    async fn advance(&self, progress: TenDlcProgress) -> Result<()> {
        self.record(self.step.next_step(self.progress.brand_type), progress).await
    }

    async fn record(&self, next: Option<TenDlcStep>, progress: TenDlcProgress) -> Result<()> {
        let mut tx = self.context.db.begin().await?;
        let (origin, one) = (&self.context.origin, self.registration);
        store::record_step(&mut tx, origin, one, (self.step, next), progress).await?;
        tx.commit().await?;
        self.context.announcer.notify_changed();
        Ok(())
    }

    async fn reject(&self, faults: &[A2pFault]) -> Result<()> {
        let mut tx = self.context.db.begin().await?;
        let (origin, reason) = (&self.context.origin, reasons::explain_rejection(faults));
        store::record_rejection(&mut tx, origin, self.registration, self.step, &reason).await?;
        tx.commit().await?;
        self.context.announcer.notify_changed();
        Ok(())
    }

    /// A refusal ends the registration until the owner sends it again; everything else is retried.
    async fn stop_or_retry(&self, error: &SendError) -> Result<()> {
        match error {
            SendError::Refused { .. } | SendError::NotSetUp { .. } => {
                fail(self.context, self.registration, self.step, reasons::explain_refusal(error)).await
            }
            _ => retry_or_give_up(self.context, self.registration, self.step, error).await,
        }
    }
}

fn is_turned_down(found: &A2pResource) -> bool {
    matches!(found.status.as_str(), "twilio-rejected" | "failed" | "suspended")
}
