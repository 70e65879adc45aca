// What a change order comes to while it is typed, and what is agreed with it: reckoned here at once, then as the server says it.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useWatch, type UseFormReturn } from 'react-hook-form'
import { readPart } from '@/features/paper/read-lines'
import { asSums, sumsOf } from '@/features/paper/sums'
import { type Sums, TotalRows } from '@/features/paper/totals'
import { useAskable } from '@/features/paper/use-askable'
import { useCurrentUser } from '@/session/use-session'
import { jobQueries } from '../queries'
import type { ChangeOrder, JobDetail } from '../types'
import { AgreedRows } from './agreed-rows'
import { agreedWithout, toRequest } from './change-values'
import { changeSchema, type ChangeValues } from './schema'

type ChangeSumsProps = { form: UseFormReturn<ChangeValues>; job: JobDetail; revised: ChangeOrder | undefined }

export function ChangeSums({ form, job, revised }: ChangeSumsProps) {
  // While it is shown every field is there.
  const values = useWatch({ control: form.control }) as ChangeValues
  const deposit = values.depositKind === 'standing' ? undefined : readPart(values.depositKind, values.deposit)
  const said = useServerSums(job.id, values)
  const sums = said?.sums ?? sumsOf({ ...values, hasOptions: false }, deposit)[0]
  if (!sums) return null
  const before = agreedWithout(said?.before ?? job.agreed?.total ?? 0, revised)
  return (
    <div className="grid gap-4">
      <TotalRows sums={sums} />
      <AgreedRows
        rows={[
          { label: 'Agreed until now', amount: before },
          { label: 'This change order', amount: sums.total, isAdded: true },
          { label: 'New total', amount: before + sums.total, isMain: true },
        ]}
      />
    </div>
  )
}

/** The server's word for exactly these values; undefined while they are typed, incomplete, or out of its reach. */
function useServerSums(jobId: string, values: ChangeValues): { sums: Sums; before: number } | undefined {
  const { orgId } = useCurrentUser()
  const body = useAskable(
    useMemo(() => (changeSchema.safeParse(values).success ? toRequest(values) : undefined), [values]),
  )
  const { data } = useQuery({ ...jobQueries.changeTotals(orgId, jobId, body ?? {}), enabled: body !== undefined })
  if (body === undefined || !data) return undefined
  return { sums: asSums({ ...data.totals, deposit: data.deposit }), before: data.before }
}
