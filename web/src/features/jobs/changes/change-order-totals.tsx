// Change order totals: local at once, then the server's.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useWatch, type UseFormReturn } from 'react-hook-form'
import { parsePercentOrAmount } from '@/features/documents/line-values'
import { toOptionTotals, getOptionTotals } from '@/features/documents/option-totals'
import { type TotalsData, TotalRows } from '@/features/documents/total-rows'
import { useDebouncedRequest } from '@/features/documents/use-debounced-request'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { jobQueries } from '../queries'
import type { ChangeOrder, JobDetail } from '../types'
import { AgreementRows } from './agreement-rows'
import { getAgreedBefore, toChangeOrderRequest } from './change-order-values'
import { changeOrderSchema, type ChangeOrderValues } from './schema'

type ChangeOrderTotalsProps = {
  form: UseFormReturn<ChangeOrderValues>
  job: JobDetail
  revised: ChangeOrder | undefined
}

export function ChangeOrderTotals({ form, job, revised }: ChangeOrderTotalsProps) {
  // While it is shown every field is there.
  const values = useWatch({ control: form.control }) as ChangeOrderValues
  const deposit =
    values.depositKind === 'standing' ? undefined : parsePercentOrAmount(values.depositKind, values.deposit)
  const serverTotals = useServerTotals(job.id, values)
  const sums = serverTotals?.sums ?? getOptionTotals({ ...values, hasOptions: false }, deposit)[0]
  if (!sums) return null
  const before = getAgreedBefore(serverTotals?.before ?? job.agreed?.total ?? 0, revised)
  return (
    <div className="grid gap-4">
      <TotalRows sums={sums} />
      <AgreementRows
        rows={[
          { label: t('Agreed until now'), amount: before },
          { label: t('This change order'), amount: sums.total, isAdded: true },
          { label: t('New total'), amount: before + sums.total, isMain: true },
        ]}
      />
    </div>
  )
}

/** The server's word for exactly these values; undefined while they are typed, incomplete, or out of its reach. */
function useServerTotals(jobId: string, values: ChangeOrderValues): { sums: TotalsData; before: number } | undefined {
  const { orgId } = useCurrentUser()
  const body = useDebouncedRequest(
    useMemo(() => (changeOrderSchema.safeParse(values).success ? toChangeOrderRequest(values) : undefined), [values]),
  )
  const { data } = useQuery({ ...jobQueries.changeTotals(orgId, jobId, body ?? {}), enabled: body !== undefined })
  if (body === undefined || !data) return undefined
  return { sums: toOptionTotals({ ...data.totals, deposit: data.deposit }), before: data.before }
}
