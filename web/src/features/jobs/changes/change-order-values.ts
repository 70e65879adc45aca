// Conversion of a change order between form and server.
import { emptyEstimateBase, toTermsValues, toEstimateTerms } from '@/features/documents/estimate/values'
import { toLineItemsRequest, toLineItemsValues } from '@/features/documents/line-values'
import type { ChangeOrder, JobDetail } from '../types'
import { getJobRecipient } from './recipient'
import type { ChangeOrderValues } from './schema'

/** The settings' deposit applies to estimates; a change order has one only if entered. */
export function emptyChangeOrder(job: JobDetail): ChangeOrderValues {
  return { title: '', ...emptyEstimateBase(getJobRecipient(job), 'none') }
}

/** The version there is, to be changed. Its last day is computed again. */
export function reviseChangeOrder(job: JobDetail, order: ChangeOrder): ChangeOrderValues {
  return {
    ...emptyChangeOrder(job),
    title: order.content.title ?? '',
    ...toLineItemsValues(order.content),
    ...toTermsValues(order),
  }
}

export function toChangeOrderRequest(values: ChangeOrderValues) {
  return {
    ...(values.title === '' ? {} : { title: values.title }),
    ...toLineItemsRequest(values),
    ...toEstimateTerms(values),
  }
}

/** What is agreed without this one: an approved version counts until the next one is approved in its place. */
export function getAgreedBefore(agreed: number, revised: ChangeOrder | undefined): number {
  return revised?.status === 'approved' ? agreed - revised.total : agreed
}
