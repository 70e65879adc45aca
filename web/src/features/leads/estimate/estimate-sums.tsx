// What the estimate comes to while it is typed: reckoned here at once, then as the server says it.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useWatch, type UseFormReturn } from 'react-hook-form'
import type { PaperPart } from '@/features/paper/paper'
import { paperQueries } from '@/features/paper/queries'
import { readPart } from '@/features/paper/read-lines'
import { asSums, type OptionSums, sumsOf } from '@/features/paper/sums'
import { TotalRows } from '@/features/paper/totals'
import { useAskable } from '@/features/paper/use-askable'
import { useCurrentUser } from '@/session/use-session'
import { Icon } from '@/ui/icon'
import { leadQueries } from '../queries'
import { estimateSchema, type EstimateValues } from '../schema'
import { toRequest } from './estimate-values'

type EstimateSumsProps = { form: UseFormReturn<EstimateValues>; leadId: string }

export function EstimateSums({ form, leadId }: EstimateSumsProps) {
  // While it is shown every field is there.
  const values = useWatch({ control: form.control }) as EstimateValues
  const standing = useStandingDeposit()
  const { depositKind, deposit, hasOptions, options, recommended } = values
  const local = sumsOf(
    values,
    depositKind === 'standing' ? standing : (readPart(depositKind, deposit) ?? { kind: 'none' }),
  )
  const sums = useServerSums(leadId, values) ?? local
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

function useStandingDeposit(): PaperPart {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(paperQueries.settings(orgId))
  const { kind = 'none', value } = data?.estimates.deposit ?? {}
  return readPart(kind, typeof value === 'number' ? String(value) : '') ?? { kind: 'none' }
}

/** The server's word for exactly these values; undefined while they are typed, incomplete, or out of its reach. */
function useServerSums(leadId: string, values: EstimateValues): OptionSums[] | undefined {
  const { orgId } = useCurrentUser()
  const body = useAskable(
    useMemo(
      () => (estimateSchema.safeParse(values).success ? { ...toRequest(values), leadId } : undefined),
      [values, leadId],
    ),
  )
  const { data } = useQuery({ ...leadQueries.estimateTotals(orgId, body ?? { leadId }), enabled: body !== undefined })
  if (body === undefined || !data?.length) return undefined
  return data.map(asSums)
}
