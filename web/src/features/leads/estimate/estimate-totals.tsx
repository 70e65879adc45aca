// Estimate totals: local at once, then the server's.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useWatch, type UseFormReturn } from 'react-hook-form'
import type { PercentOrAmount } from '@/features/documents/document-totals'
import { documentQueries } from '@/features/documents/queries'
import { parsePercentOrAmount } from '@/features/documents/line-values'
import { toOptionTotals, type OptionTotals, getOptionTotals } from '@/features/documents/option-totals'
import { TotalRows } from '@/features/documents/total-rows'
import { useDebouncedRequest } from '@/features/documents/use-debounced-request'
import { useCurrentUser } from '@/features/session/use-session'
import { Icon } from '@/ui/icon'
import { leadQueries } from '../queries'
import { estimateSchema, type EstimateValues } from '../schema'
import { toEstimateRequest } from './estimate-values'

type EstimateTotalsProps = { form: UseFormReturn<EstimateValues>; leadId: string }

export function EstimateTotals({ form, leadId }: EstimateTotalsProps) {
  // While it is shown every field is there.
  const values = useWatch({ control: form.control }) as EstimateValues
  const defaultDeposit = useDefaultDeposit()
  const { depositKind, deposit, hasOptions, options, recommended } = values
  const local = getOptionTotals(
    values,
    depositKind === 'standing' ? defaultDeposit : (parsePercentOrAmount(depositKind, deposit) ?? { kind: 'none' }),
  )
  const sums = useServerTotals(leadId, values) ?? local
  const [only] = sums
  if (!hasOptions) return only ? <TotalRows sums={only} /> : null
  return (
    <ul aria-label="Totals by option" className="grid gap-3 sm:grid-cols-[repeat(auto-fit,minmax(14rem,1fr))]">
      {sums.map((one, at) => (
        <li key={one.optionId} className="rounded-field border border-primary/22 p-3">
          <h3 className="mb-2 flex flex-wrap items-center justify-between gap-2">
            <span className="min-w-0 wrap-anywhere">{options[at]?.name || `Option ${at + 1}`}</span>
            {one.optionId === recommended && (
              <span className="inline-flex items-center gap-1 text-note text-accent">
                <Icon name="star" className="size-4" />
                Recommended
              </span>
            )}
          </h3>
          <TotalRows sums={one} />
        </li>
      ))}
    </ul>
  )
}

function useDefaultDeposit(): PercentOrAmount {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(documentQueries.settings(orgId))
  const { kind = 'none', value } = data?.estimates.deposit ?? {}
  return parsePercentOrAmount(kind, typeof value === 'number' ? String(value) : '') ?? { kind: 'none' }
}

/** The server's word for exactly these values; undefined while they are typed, incomplete, or out of its reach. */
function useServerTotals(leadId: string, values: EstimateValues): OptionTotals[] | undefined {
  const { orgId } = useCurrentUser()
  const body = useDebouncedRequest(
    useMemo(
      () => (estimateSchema.safeParse(values).success ? { ...toEstimateRequest(values), leadId } : undefined),
      [values, leadId],
    ),
  )
  const { data } = useQuery({ ...leadQueries.estimateTotals(orgId, body ?? { leadId }), enabled: body !== undefined })
  if (body === undefined || !data?.length) return undefined
  return data.map(toOptionTotals)
}
