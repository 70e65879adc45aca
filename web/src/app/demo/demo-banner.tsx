// Banner above every screen of the demonstration.
import { REQUEST_A_DEMO } from '@/lib/demo'
import { paths } from '@/lib/paths'
import { Icon } from '@/ui/icon'
import { demoMessages as texts } from './messages'

type DemoBannerProps = {
  /** Absent while the tour is on. */ onTour?: (() => void) | undefined
}

export function DemoBanner({ onTour }: DemoBannerProps) {
  return (
    <aside
      aria-label="Demonstration"
      className="flex min-h-10 items-center gap-x-2 border-b border-accent/40 bg-accent/8 px-3 text-caption sm:px-4 sm:text-note lg:px-6"
    >
      <Icon name="info" className="size-4 text-accent max-[24rem]:hidden" />
      <p className="min-w-0 flex-1 leading-tight">
        <span className="sm:hidden">Demo: made-up people, moving dates</span>
        <span className="max-sm:hidden">
          This is a demonstration: the people are made up, and their dates move with today.
        </span>
      </p>
      {onTour && (
        <button type="button" className="text-link min-h-10 shrink-0 max-sm:hidden" onClick={onTour}>
          {texts.begin}
        </button>
      )}
      {/* Full page load: it leaves the router's base. The target is taller than the line. */}
      <a
        href={paths.checkout}
        className="text-link relative inline-flex min-h-10 shrink-0 items-center after:absolute after:inset-x-0 after:-inset-y-1"
      >
        {REQUEST_A_DEMO}
      </a>
    </aside>
  )
}
