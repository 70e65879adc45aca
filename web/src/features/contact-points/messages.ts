// Texts of contact details proposed by a form.
export const contactMessages = {
  hint: 'Estimates, invoices and visit messages do not go there until you use it.',
  aside: 'Set aside: nothing about their work goes there until you use it.',
  asideElsewhere: (name: string) => `Set aside: ${name} has it too. Merge the two if they are one person, or ask them.`,
  alsoFor: (name: string) => `Also given for another customer: ${name}`,
  shutOff: 'Set aside until you use it',
  noneInUse: 'None in use',
  becomesMain: { phone: 'Becomes the main phone', email: 'Becomes the main email' },
  requestDuplicate: (name: string, date: string) => `This may be ${name} of the request of ${date}. Same person?`,
  papersStop: (papers: readonly string[]) =>
    `${papers.join(', ')} ${papers.length === 1 ? 'waits' : 'wait'} to go there and will not be sent there.`,
  namedElsewhere: {
    one: 'Another request named their address',
    several: 'Other requests named their addresses',
  },
  stillUsed: 'Messages still go there. If they are one person, merge the records.',
  leftOut: 'A later request did not name it. Messages still go there.',
  typedIn: (time: string, isFirstForm: boolean) =>
    isFirstForm ? `In their first form, ${time}` : `In the form of ${time}`,
  activity: {
    texted: 'Someone texted us from it.',
    called: 'Someone called us from it.',
    link_used: 'Someone used a link that was sent there.',
    written: 'We wrote there. No answer yet.',
    nothing: 'Nothing came from it yet.',
  },
  typedOnly: 'it was only typed into a form. Nothing goes there until you use it.',
  movable: 'Use it to move it here. If they are one person, merge the two.',
  provenElsewhere: 'It is confirmed as theirs. If they are one person, merge the two.',
  accepted: {
    phone: { title: 'Now their main phone', description: 'Messages to them go there from now on.' },
    email: { title: 'Now their main email', description: 'Messages to them go there from now on.' },
  },
  acceptFailed: { title: 'Not used', description: 'Nothing was changed. Please try again.' },
  dismissed: { title: 'Dismissed', description: 'It is not proposed for them again.' },
  dismissFailed: { title: 'Not dismissed', description: 'Nothing was changed. Please try again.' },
  undone: { title: 'Undone', description: 'The record is as it was before.' },
  undoFailed: { title: 'Not undone', description: 'The record was changed since, or the answer did not arrive.' },
  proofs: {
    on_file: 'On file',
    form: 'Typed into a form',
    answered: 'Answered a form',
    called: 'Called from it',
    texted: 'Texted from it',
    link_opened: 'Opened our link',
    office: 'Confirmed by the office',
    imported: 'Imported',
  },
} as const

/** The full stop after a name at the end of a sentence; none after a name such as "Ann B.". */
export const endName = (name: string | null | undefined): string => (name?.endsWith('.') ? '' : '.')
