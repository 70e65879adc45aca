import { classNames } from '@/lib/class-names'

type SpinnerProps = { size?: 'small' | 'large'; label?: string }

export function Spinner({ size = 'small', label }: SpinnerProps) {
  const className = classNames(
    'inline-block shrink-0 animate-spin rounded-full border-current border-r-transparent',
    size === 'small' ? 'size-5 border-2' : 'size-10 border-3 text-primary',
  )
  return label ? (
    <span role="status" aria-label={label} className={className} />
  ) : (
    <span aria-hidden="true" className={className} />
  )
}
