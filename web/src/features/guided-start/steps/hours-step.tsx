import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { describeError } from '@/api/errors'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { useSaveSettings } from '@/features/settings/mutations'
import { settingsQueries } from '@/features/settings/queries'
import type { BusinessHours } from '@/features/settings/types'
import { Icon } from '@/ui/icon'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { findHoursPreset, HOURS_PRESETS, type HoursPreset } from '../lib/hours-presets'
import { startMessages } from '../messages'
import { StepFrame } from '../step-frame'
import type { StartNav } from '../use-start-nav'

const texts = startMessages.hours

export function HoursStep({ nav }: { nav: StartNav }) {
  const { orgId } = useCurrentUser()
  const found = useQuery(settingsQueries.settings(orgId))
  return (
    <QueryBoundary query={found} skeleton={<SkeletonLines lines={6} />} errorText={startMessages.loadFailed}>
      {({ hours }) => <HoursChoice nav={nav} saved={{ ...hours, closedDates: hours.closedDates ?? [] }} />}
    </QueryBoundary>
  )
}

/** One tap saves and goes on; closed dates stay. */
function HoursChoice({ nav, saved }: { nav: StartNav; saved: BusinessHours }) {
  const save = useSaveSettings()
  const current = findHoursPreset(saved.week)
  const choose = ({ week }: HoursPreset) => save.mutate({ hours: { ...saved, week } }, { onSuccess: nav.next })
  const problem = save.error ? describeError(save.error).description : undefined
  return (
    <StepFrame nav={nav} problem={problem} isSaving={save.isPending} onContinue={nav.next}>
      <ul aria-label={texts.presets} className="grid gap-2">
        {HOURS_PRESETS.map((preset) => (
          <li key={preset.label}>
            <button
              type="button"
              disabled={save.isPending}
              onClick={() => choose(preset)}
              className="flex min-h-14 w-full items-center gap-3 rounded-field border border-primary/30 px-4 text-left font-semibold hover:bg-primary/10"
            >
              <span className="min-w-0 flex-1">{preset.label}</span>
              {preset === current && (
                <span className="flex items-center gap-1 text-note text-success">
                  <Icon name="check" className="size-4" />
                  {texts.now}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      <p className="text-note text-muted">
        <Link to={paths.settings('hours')} className="text-link inline-flex min-h-11 items-center">
          {texts.own}
        </Link>
        . {texts.ownHint}.
      </p>
    </StepFrame>
  )
}
