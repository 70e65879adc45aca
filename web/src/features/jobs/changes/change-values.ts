// A change order between its form and the server: what stands in the form at first, and what is asked for.
import { emptyOffer, termsAgain, toTerms } from '@/features/paper/offer/values'
import { toPaper, typedPaper } from '@/features/paper/read-lines'
import type { ChangeOrder, JobDetail } from '../types'
import { recipientOf } from './recipient'
import type { ChangeValues } from './schema'

/** The deposit of the settings is the estimate's: of this one there is one only where somebody asks for it. */
export function emptyChange(job: JobDetail): ChangeValues {
  return { title: '', ...emptyOffer(recipientOf(job), 'none') }
}

/** The version there is, to be changed. Its last day is reckoned anew. */
export function changeAgain(job: JobDetail, order: ChangeOrder): ChangeValues {
  return { ...emptyChange(job), title: order.content.title ?? '', ...typedPaper(order.content), ...termsAgain(order) }
}

export function toRequest(values: ChangeValues) {
  return { ...(values.title === '' ? {} : { title: values.title }), ...toPaper(values), ...toTerms(values) }
}

/** What is agreed without this one: an approved version counts until the next one is approved in its place. */
export function agreedWithout(agreed: number, revised: ChangeOrder | undefined): number {
  return revised?.status === 'approved' ? agreed - revised.total : agreed
}
