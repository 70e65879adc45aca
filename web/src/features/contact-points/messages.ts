// Texts of contact details proposed by a form.
import { plural, t } from '@/lib/i18n'
export const contactMessages = {
  hint: t('Estimates, invoices and visit messages do not go there until you use it.'),
  aside: t('Set aside: nothing about their work goes there until you use it.'),
  asideElsewhere: (name: string) =>
    t('Set aside: {name} has it too. Merge the two if they are one person, or ask them.', { name }),
  alsoFor: (name: string) => t('Also given for another customer: {name}', { name }),
  shutOff: t('Set aside until you use it'),
  noneInUse: t('None in use'),
  becomesMain: { phone: t('Becomes the main phone'), email: t('Becomes the main email') },
  requestDuplicate: (name: string, date: string) =>
    t('This may be {name} of the request of {date}. Same person?', { name, date }),
  papersStop: (papers: readonly string[]) =>
    plural(
      papers.length,
      '{papers} waits to go there and will not be sent there.',
      '{papers} wait to go there and will not be sent there.',
      { papers: papers.join(', ') },
    ),
  namedElsewhere: {
    one: t('Another request named their address'),
    several: t('Other requests named their addresses'),
  },
  stillUsed: t('Messages still go there. If they are one person, merge the records.'),
  leftOut: t('A later request did not name it. Messages still go there.'),
  typedIn: (time: string, isFirstForm: boolean) =>
    isFirstForm ? t('In their first form, {time}', { time }) : t('In the form of {time}', { time }),
  activity: {
    texted: t('Someone texted us from it.'),
    called: t('Someone called us from it.'),
    link_used: t('Someone used a link that was sent there.'),
    written: t('We wrote there. No answer yet.'),
    nothing: t('Nothing came from it yet.'),
  },
  typedOnly: t('it was only typed into a form. Nothing goes there until you use it.'),
  movable: t('Use it to move it here. If they are one person, merge the two.'),
  provenElsewhere: t('It is confirmed as theirs. If they are one person, merge the two.'),
  accepted: {
    phone: { title: t('Now their main phone'), description: t('Messages to them go there from now on.') },
    email: { title: t('Now their main email'), description: t('Messages to them go there from now on.') },
  },
  acceptFailed: { title: t('Not used'), description: t('Nothing was changed. Please try again.') },
  dismissed: { title: t('Dismissed'), description: t('It is not proposed for them again.') },
  dismissFailed: { title: t('Not dismissed'), description: t('Nothing was changed. Please try again.') },
  undone: { title: t('Undone'), description: t('The record is as it was before.') },
  undoFailed: { title: t('Not undone'), description: t('The record was changed since, or the answer did not arrive.') },
  proofs: {
    on_file: t('On file'),
    form: t('Typed into a form'),
    answered: t('Answered a form'),
    called: t('Called from it'),
    texted: t('Texted from it'),
    link_opened: t('Opened our link'),
    office: t('Confirmed by the office'),
    imported: t('Imported'),
  },
} as const

/** The full stop after a name at the end of a sentence; none after a name such as "Ann B.". */
export const endName = (name: string | null | undefined): string => (name?.endsWith('.') ? '' : '.')
