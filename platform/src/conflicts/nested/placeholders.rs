//! Words that fill the placeholders of nested reasons, in English and in Spanish.

/// Words that replace a placeholder.
pub(super) const WORDS: &[(&str, &str)] = &[
    ("this estimate", "este presupuesto"),
    ("the estimate", "el presupuesto"),
    ("this change order", "esta orden de cambio"),
    ("the change order", "la orden de cambio"),
    ("this invoice", "esta factura"),
    ("the invoice", "la factura"),
    ("texts", "mensajes de texto"),
    ("emails to others", "correos a otros"),
    ("invitations", "invitaciones"),
    ("imported customers", "clientes importados"),
    ("confirm your email address", "confirme su correo"),
    (
        "subscribe under Billing, or ask the person who runs your Toolbox to allow you without payment",
        "suscríbase en Facturación o pida a quien administra este Toolbox que se lo permita sin pago",
    ),
    (
        "a number of your own opens more, and the person who runs your Toolbox can lift these limits",
        "un número propio permite más, y quien administra este Toolbox puede quitar estos límites",
    ),
    (
        "ask the person who runs your Toolbox to lift these limits",
        "pida a quien administra este Toolbox que quite estos límites",
    ),
    ("Monday", "lunes"),
    ("Tuesday", "martes"),
    ("Wednesday", "miércoles"),
    ("Thursday", "jueves"),
    ("Friday", "viernes"),
    ("Saturday", "sábado"),
    ("Sunday", "domingo"),
];

/// Parts of the name of a place: its zone, and whether it is certain. States keep their names.
pub(super) const PLACES: &[(&str, &str)] = &[
    ("Eastern time", "hora del Este"),
    ("Central time", "hora del Centro"),
    ("Mountain time", "hora de la Montaña"),
    ("Mountain standard time", "hora estándar de la Montaña"),
    ("Pacific time", "hora del Pacífico"),
    ("Alaska time", "hora de Alaska"),
    ("Aleutian time", "hora de las Aleutianas"),
    ("Central standard time", "hora estándar del Centro"),
    ("Atlantic time", "hora del Atlántico"),
    ("Newfoundland time", "hora de Terranova"),
    (", where this number may be", ", donde puede estar este número"),
];
