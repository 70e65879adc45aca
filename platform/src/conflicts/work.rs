//! Refusals about jobs, visits, crews, stages and files.

use super::ConflictText;

pub(super) const TEXTS: &[ConflictText] = conflict_texts! {
    PaperBelongsToRecord
        "This document belongs to an estimate, an invoice or a payment and stays with it."
        "Este documento pertenece a un presupuesto, una factura o un pago y se queda con él.";
    FileAboutToBeSent
        "This file is about to be sent. Stop the message first."
        "Este archivo está por enviarse. Detenga primero el mensaje.";
    NothingToDownload
        "There is nothing to download yet."
        "Todavía no hay nada que descargar.";
    AlreadyUndone
        "It was already undone."
        "Ya se deshizo.";
    NotUndoable
        "This cannot be undone."
        "Esto no se puede deshacer.";
    UndoTooLate
        "That was more than a minute ago."
        "Eso fue hace más de un minuto.";
    NewerChangeExists
        "Something was changed after it. Take that back first."
        "Después se cambió algo más. Deshaga eso primero.";
    UndoNotYours
        "Only who did it, or the office, takes it back."
        "Solo quien lo hizo, o la oficina, puede deshacerlo.";
    JobCancelledBy
        "{name} cancelled this job at {time}."
        "{name} canceló este trabajo a las {time}.";
    JobCancelled
        "This job was cancelled. Restore it first."
        "Este trabajo fue cancelado. Restáurelo primero.";
    JobBegun
        "Work on this job has begun already."
        "El trabajo ya empezó.";
    JobDone
        "This job is done. Reopen it first."
        "Este trabajo está terminado. Reábralo primero.";
    JobInProgress
        "Work on this job has begun. Stop it first."
        "El trabajo ya empezó. Deténgalo primero.";
    JobStatusUnreachable
        "This job cannot go there from where it is now."
        "Este trabajo no puede pasar a ese estado desde donde está.";
    CancellationByOfficeOnly
        "Only the office cancels a job, or takes that back."
        "Solo la oficina cancela un trabajo o deshace su cancelación.";
    JobChanged
        "{name} changed this job a moment ago. Look again."
        "{name} cambió este trabajo hace un momento. Mírelo otra vez.";
    JobCostsFull
        "This job has as many costs as can be noted. Remove one first."
        "Este trabajo ya tiene todos los costos que se pueden anotar. Quite uno primero.";
    JobNotDone
        "Job {number} is not done yet."
        "El trabajo {number} todavía no está terminado.";
    SlotTaken
        "That time has just been taken. Please choose another."
        "Esa hora se acaba de ocupar. Elija otra por favor.";
    SlotHoldExpired
        "That took a little too long. Please choose your time again."
        "Pasó demasiado tiempo. Elija su hora de nuevo.";
    BookingAlreadyAsked
        "We have your request already. To change it, choose your time again."
        "Ya tenemos su solicitud. Para cambiarla, elija su hora de nuevo.";
    BookingOff
        "Times cannot be booked here at the moment. Please call us."
        "Ahora no se puede reservar aquí. Llámenos por favor.";
    VisitTooClose
        "Please call us: it is less than 12 hours away."
        "Llámenos por favor: faltan menos de 12 horas.";
    VisitNotPlanned
        "This visit is no longer at that time. Check the time on this page."
        "Esta visita ya no es a esa hora. Revise la hora en esta página.";
    StageUnchanged
        "It is there already."
        "Ya está allí.";
    PaidStageFinal
        "A lead that is Paid moves back only when its payment is undone."
        "Una solicitud pagada solo vuelve atrás cuando se deshace su pago.";
    PaymentNeededFirst
        "First record the payment: it becomes Paid by that."
        "Registre primero el pago: con eso pasa a Pagado.";
    SchedulingNeededFirst
        "First put it to Scheduled: only scheduled work can be Done."
        "Póngala primero en Programado: solo lo programado se puede terminar.";
    ReschedulingNeededFirst
        "First put it back to Scheduled."
        "Devuélvala primero a Programado.";
    StageUnreachable
        "It cannot go there from here."
        "No puede pasar allí desde aquí.";
    CrewsFull
        "There are fifty crews already. Rename one that is no longer used."
        "Ya hay cincuenta cuadrillas. Cambie el nombre de una que ya no se use.";
    CrewNameTaken
        "There is a crew of this name already."
        "Ya hay una cuadrilla con este nombre.";
    CrewHasComingJob
        "Move its coming job first."
        "Mueva primero su próximo trabajo.";
    CrewHasComingJobs
        "Move its {count} coming jobs first."
        "Mueva primero sus {count} próximos trabajos.";
};
