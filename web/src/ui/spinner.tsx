// A turning ring. Words stand beside it, or `label` speaks for it.
import { classNames } from '@/lib/class-names'

type SpinnerProps = { size?: 'small' | 'large'; label?: string }

export function Spinner({ size = 'small', label }: SpinnerProps) {
  const className = classNames('loading loading-spinner', size === 'small' ? 'loading-sm' : 'loading-lg text-primary')
  return label ? <span role="status" aria-label={label} className={className} /> : <span aria-hidden="true" className={className} />
}
