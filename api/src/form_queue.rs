//! Visitors' forms that wait at the same moment. On PostgreSQL those to one business share a transaction, and with it the
//! lock on the end of the audit log, the day's figures and the commit; alone, each would wait for the one before from
//! its last statement to its commit. On `SQLite` the writer shares commits by itself.
//!
//! A form is taken as soon as a transaction is free, so one that is alone waits for no other. A form whose key was used
//! for another is refused by itself. After any other error each form of a group is stored alone, unless the commit
//! failed: it may have happened.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::future::join_all;
use shared::{
    domain::{
        intake::{
            lead::{FormSender, LeadReceipt, NewLead},
            photo_upload::NewPhotoUpload,
        },
        messaging::lead_response::{self, IncomingRequest, ResponseForecast},
        tenancy::audit::AuditActor,
    },
    platform::{
        db::{Db, Tx, tenant_scope::propagate_tenant},
        id::OrgId,
        request_id::{RequestId, with_request},
    },
};
use tokio::{sync::oneshot, time::Instant};
use tracing::{Instrument, Span};

use crate::{
    error::{ApiError, ApiResult, ErrorCode},
    form_subject::FormSubject,
    idempotency::IdempotentOperation,
    routes::intake::public_form::count_unproven_request,
    state::AppState,
};

/// Most forms in one transaction: the first one waits for all of them.
const MAX_FORMS: usize = 16;
/// Transactions of one business at once: one works while the other waits for the disk.
const MAX_TRANSACTIONS: usize = 2;
/// Forms of a failed group that are stored alone at once.
const RETRIED_AT_ONCE: usize = 4;
/// Forms that one look at a queue passes over because they cannot join the group.
const MAX_PASSED_OVER: usize = 64;
/// A form that has waited so long is refused, as where no connection is free.
const MAX_WAIT: Duration = Duration::from_secs(15);

/// A checked form, with all that is read before its transaction.
pub struct PendingForm {
    pub subject: Arc<FormSubject>,
    pub new: NewLead,
    pub sender: FormSender,
    pub actor: AuditActor,
    pub request_id: Option<RequestId>,
    pub once: IdempotentOperation,
    pub photos: Vec<NewPhotoUpload>,
    /// Note about photos for which there was no room.
    pub left_out: Option<String>,
    pub foreseen: ResponseForecast,
}

impl PendingForm {
    fn org(&self) -> OrgId {
        self.subject.profile.org.id
    }

    /// Whether it shares a transaction with others. Photos take longer than the rest, and a form to a business with an
    /// unproven address may be refused.
    pub fn can_be_grouped(&self, db: &Db) -> bool {
        !db.shares_commits() && self.photos.is_empty() && !self.foreseen.is_unproven
    }

    /// Whether both may be in one transaction: they are not of one person, and not one form sent twice.
    fn can_join(&self, other: &Self) -> bool {
        let is_same_phone = self.new.phone_e164.is_some() && self.new.phone_e164 == other.new.phone_e164;
        let is_same_email = self.new.email.is_some() && self.new.email == other.new.email;
        !is_same_phone && !is_same_email && !self.once.has_key_of(&other.once)
    }

    fn to_incoming(&self) -> IncomingRequest<'_> {
        let Self { new, sender, photos, actor, .. } = self;
        IncomingRequest { new, sender, photos, actor, forecast: self.foreseen, request_id: self.request_id }
    }

    fn complete_receipt(&self, receipt: LeadReceipt) -> LeadReceipt {
        LeadReceipt { photos_left_out: self.left_out.clone(), ..receipt }
    }

    /// Everything up to the commit. The flag is false for a repeated request.
    pub async fn store_in_tx(&self, state: &AppState) -> ApiResult<(Tx, LeadReceipt, bool)> {
        let org = self.org();
        let mut tx = state.db()?.begin_contended().await?;
        self.subject.reject_if_moved_since(&mut tx).await?;
        if let Some(receipt) = self.once.find_stored_response(&mut tx, state, org).await? {
            return Ok((tx, receipt, false));
        }
        if self.foreseen.is_unproven {
            count_unproven_request(&mut tx, state, org).await?;
        }
        let intake = state.org_context(&self.subject.profile);
        let receipt = lead_response::accept_request(&mut tx, &intake, &self.to_incoming()).await?;
        let receipt = self.complete_receipt(receipt);
        self.once.store_response(&mut tx, org, &receipt).await?;
        Ok((tx, receipt, true))
    }

    /// The tasks of the commit hooks name its request, too.
    async fn store_by_itself(&self, state: &AppState) -> ApiResult<LeadReceipt> {
        let work = Box::pin(self.store_and_commit(state));
        match self.request_id {
            Some(id) => with_request(id, work).await,
            None => work.await,
        }
    }

    async fn store_and_commit(&self, state: &AppState) -> ApiResult<LeadReceipt> {
        let (tx, receipt, is_new) = self.store_in_tx(state).await?;
        if is_new {
            tx.commit().await?;
        }
        Ok(receipt)
    }
}

type FormResult = ApiResult<LeadReceipt>;

struct QueuedForm {
    form: PendingForm,
    span: Span,
    since: Instant,
    done: oneshot::Sender<FormResult>,
}

impl QueuedForm {
    /// None for a visitor who has gone, and after [`MAX_WAIT`].
    fn if_in_time(self) -> Option<Self> {
        if self.done.is_closed() {
            return None;
        }
        if self.since.elapsed() < MAX_WAIT {
            return Some(self);
        }
        drop(self.done.send(Err(ApiError::unavailable("a form waited too long for a transaction"))));
        None
    }
}

/// Forms that wait, by their business.
#[derive(Default)]
pub struct FormQueues(Mutex<HashMap<OrgId, FormQueue>>);

#[derive(Default)]
struct FormQueue {
    waiting: VecDeque<QueuedForm>,
    /// Loops of [`run_queue`].
    running: usize,
}

impl FormQueues {
    /// Returns whether the queue needs one more loop.
    fn push_form(&self, form: QueuedForm) -> bool {
        let mut all = self.lock();
        let queue = all.entry(form.form.org()).or_default();
        queue.waiting.push_back(form);
        let is_due = queue.running < MAX_TRANSACTIONS;
        queue.running += usize::from(is_due);
        is_due
    }

    /// The forms that share the next transaction; none ends the loop that asks.
    fn take_group(&self, org: OrgId) -> Option<Vec<QueuedForm>> {
        let mut all = self.lock();
        let queue = all.get_mut(&org)?;
        let group = queue.take_compatible();
        if !group.is_empty() {
            return Some(group);
        }
        queue.running -= 1;
        if queue.running == 0 {
            all.remove(&org);
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<OrgId, FormQueue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FormQueue {
    /// The longest waiting first; 16, 8, 4, 2 or 1 of them, so that the statements come again and find their plans.
    fn take_compatible(&mut self) -> Vec<QueuedForm> {
        let (mut group, mut later) = (Vec::<QueuedForm>::new(), Vec::new());
        while group.len() < MAX_FORMS
            && later.len() < MAX_PASSED_OVER
            && let Some(one) = self.waiting.pop_front()
        {
            let Some(one) = one.if_in_time() else { continue };
            if group.iter().all(|other| one.form.can_join(&other.form)) {
                group.push(one);
            } else {
                later.push(one);
            }
        }
        let surplus = group.len().checked_ilog2().map_or_else(Vec::new, |power| group.split_off(1 << power));
        for one in surplus.into_iter().chain(later).rev() {
            self.waiting.push_front(one);
        }
        group
    }
}

impl AppState {
    /// Forms that no transaction has taken yet.
    #[must_use]
    pub fn count_queued_forms(&self) -> usize {
        self.form_queues.lock().values().map(|queue| queue.waiting.len()).sum()
    }
}

/// Stores the form with those that wait beside it, and returns when it is on disk.
pub async fn store_in_group(state: &AppState, form: PendingForm) -> ApiResult<LeadReceipt> {
    let org = form.org();
    let (done, answer) = oneshot::channel();
    if state.form_queues.push_form(QueuedForm { form, span: Span::current(), since: Instant::now(), done }) {
        tokio::spawn(propagate_tenant(run_queue(state.clone(), org)));
    }
    answer.await.unwrap_or_else(|_| Err(ApiError::unavailable("a group of forms ended without an answer")))
}

/// One group after the other, until no form waits.
async fn run_queue(state: AppState, org: OrgId) {
    while let Some(group) = state.form_queues.take_group(org) {
        // Its transaction is shown with the first of the requests.
        let span = group[0].span.clone();
        let work = store_group(state.clone(), group).instrument(span);
        // A task of its own: a panic must not end the loop that later forms count on.
        if let Err(e) = tokio::spawn(propagate_tenant(work)).await {
            tracing::error!(cause = %e, "a group of forms could not be stored");
        }
    }
}

async fn store_group(state: AppState, group: Vec<QueuedForm>) {
    let (forms, answers): (Vec<PendingForm>, Vec<oneshot::Sender<FormResult>>) =
        group.into_iter().map(|one| (one.form, one.done)).unzip();
    let results: Vec<FormResult> = if let [form] = forms.as_slice() {
        vec![form.store_by_itself(&state).await]
    } else {
        match store_together(&state, &forms).await {
            Ok(Some(results)) => results,
            Ok(None) => store_one_by_one(&state, &forms).await,
            Err(error) => forms.iter().map(|_| Err(error.clone())).collect(),
        }
    };
    state.notify_committed();
    for (done, result) in answers.into_iter().zip(results) {
        // The visitor may have gone.
        drop(done.send(result));
    }
}

/// A few at once: the others' connections are for other businesses.
async fn store_one_by_one(state: &AppState, forms: &[PendingForm]) -> Vec<FormResult> {
    let mut results = Vec::with_capacity(forms.len());
    for some in forms.chunks(RETRIED_AT_ONCE) {
        let alone: Vec<_> = some.iter().map(|form| form.store_by_itself(state)).collect();
        results.extend(join_all(alone).await);
    }
    results
}

/// None when nothing of the group was kept because of one of the forms. Errors: those of the database before the first
/// statement, and those of the commit, after which it is not known what was kept.
async fn store_together(state: &AppState, forms: &[PendingForm]) -> ApiResult<Option<Vec<FormResult>>> {
    let mut tx = state.db()?.begin_contended().await?;
    match write_group(&mut tx, state, forms).await {
        Ok(results) => {
            tx.commit().await?;
            Ok(Some(results))
        }
        Err(e) => {
            tracing::debug!(code = ?e.code, forms = forms.len(), "the forms of a group are stored one by one");
            Ok(None)
        }
    }
}

/// Everything up to the commit. Each form's result, in their order; an error of the group keeps nothing of it.
async fn write_group(tx: &mut Tx, state: &AppState, forms: &[PendingForm]) -> ApiResult<Vec<FormResult>> {
    // No form is stored by a state of its business from before the form was sent.
    let Some(newest) = forms.iter().map(|form| &form.subject).max_by_key(|subject| subject.as_of) else {
        return Ok(Vec::new());
    };
    let (org, intake) = (newest.profile.org.id, state.org_context(&newest.profile));
    newest.reject_if_moved_since(&mut *tx).await?;
    let mut results = claim_keys(&mut *tx, state, org, forms).await?;
    let new: Vec<usize> = (0..forms.len()).filter(|nth| results[*nth].is_none()).collect();
    let incoming: Vec<IncomingRequest<'_>> = new.iter().map(|nth| forms[*nth].to_incoming()).collect();
    let accepted = lead_response::accept_requests(&mut *tx, &intake, &incoming).await?;
    for (nth, receipt) in new.into_iter().zip(accepted) {
        let receipt = forms[nth].complete_receipt(receipt);
        forms[nth].once.store_response(&mut *tx, org, &receipt).await?;
        results[nth] = Some(Ok(receipt));
    }
    tx.run_commit_hooks().await?;
    Ok(results.into_iter().flatten().collect())
}

/// The results of the forms that are known by their keys: repeated, or refused because the key was used for another
/// form. None for a new one.
async fn claim_keys(
    tx: &mut Tx,
    state: &AppState,
    org: OrgId,
    forms: &[PendingForm],
) -> ApiResult<Vec<Option<FormResult>>> {
    // All transactions lock the keys in one order.
    let mut by_key: Vec<usize> = (0..forms.len()).collect();
    by_key.sort_by_key(|nth| forms[*nth].once.lock_order());
    let mut results: Vec<Option<FormResult>> = vec![None; forms.len()];
    for nth in by_key {
        results[nth] = match forms[nth].once.find_stored_response(&mut *tx, state, org).await {
            Err(e) if e.code == ErrorCode::IdempotencyMismatch => Some(Err(e)),
            found => found?.map(Ok),
        };
    }
    Ok(results)
}
