// Tour of the demonstration: the way of a request in five steps, each on its screen.
import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { Button, IconButton } from '@/ui/button'
import { demoMessages as texts } from './messages'

export function DemoTour({ onEnd }: { onEnd: () => void }) {
  // The screen stays until somebody begins the tour.
  const [at, setAt] = useState<number>()
  const navigate = useNavigate()
  const step = at === undefined ? undefined : texts.steps[at]
  const go = (next: number) => {
    const target = texts.steps[next]
    if (!target) return
    setAt(next)
    void navigate(target.to)
  }
  const isLast = at === texts.steps.length - 1
  return (
    <section
      aria-label={texts.label}
      className="grid gap-x-4 border-b border-primary/30 bg-primary/8 px-3 py-1 sm:flex sm:items-center sm:px-4 lg:px-6"
    >
      <div className="min-w-0 flex-1 py-1" aria-live="polite">
        <p className="font-semibold">
          {at !== undefined && (
            <span className="text-note text-muted tabular-nums">{texts.progress(at + 1, texts.steps.length)} </span>
          )}
          {(step ?? texts.intro).title}
        </p>
        <p className="text-note text-muted">{(step ?? texts.intro).text}</p>
      </div>
      <div className="flex shrink-0 items-center justify-end gap-1">
        {at !== undefined && at > 0 && (
          <Button variant="ghost" onClick={() => go(at - 1)}>
            {texts.back}
          </Button>
        )}
        <Button onClick={isLast ? onEnd : () => go(at === undefined ? 0 : at + 1)}>
          {at === undefined && texts.start}
          {at !== undefined && (isLast ? texts.done : texts.next)}
        </Button>
        <IconButton label={texts.skip} icon="close" onClick={onEnd} />
      </div>
    </section>
  )
}
