// Placeholder shapes of the expected size.
import { classNames } from '@/lib/class-names'

export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden="true" className={classNames('skeleton block bg-base-300', className ?? 'h-4 w-full')} />
}

export function SkeletonLines({ lines = 3 }: { lines?: number }) {
  return (
    <div className="grid gap-3">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} className={classNames('h-4', line === lines - 1 ? 'w-2/3' : 'w-full')} />
      ))}
    </div>
  )
}
