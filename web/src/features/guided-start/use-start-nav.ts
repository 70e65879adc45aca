// Position in the guided start. It is in the address, so a reload changes nothing.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { setupQueries } from './queries'
import { START_STEPS, type StartStep } from './start-steps'

export type StartNav = {
  step: StartStep
  /** Undefined at the first question. */
  back: (() => void) | undefined
  next: () => void
}

export function useStartNav(step: StartStep): StartNav {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  const navigate = useNavigate()
  const at = START_STEPS.indexOf(step)
  const [before, after] = [START_STEPS[at - 1], START_STEPS[at + 1]]
  const go = (target: string) => {
    void client.invalidateQueries({ queryKey: setupQueries.all(orgId) })
    void navigate(target)
  }
  return {
    step,
    back: before === undefined ? undefined : () => go(paths.start(before)),
    next: () => go(after === undefined ? paths.app : paths.start(after)),
  }
}
