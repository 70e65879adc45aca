// The button, and a link that looks like one. 48 px high: thumbs and gloves.
import type { ButtonHTMLAttributes, MouseEventHandler, ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { classNames } from '@/lib/class-names'
import { Icon, type IconName } from './icon'
import { Spinner } from './spinner'

type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'

const VARIANTS = {
  primary: 'btn-primary',
  secondary: 'border-primary/55 bg-transparent text-base-content hover:bg-primary/10',
  ghost: 'btn-ghost text-base-content',
  danger: 'btn-outline btn-error',
} as const satisfies Record<ButtonVariant, string>

const BASE =
  'btn h-auto min-h-12 max-w-full min-w-12 py-2 rounded-field px-4 text-base font-semibold transition-transform duration-[120ms] active:scale-[.98]'

type ButtonStyle = { variant?: ButtonVariant | undefined; icon?: IconName | undefined; wide?: boolean | undefined }

function getButtonClass({ variant = 'primary', wide = false }: ButtonStyle, className?: string): string {
  return classNames(BASE, VARIANTS[variant], wide && 'w-full', className)
}

type ButtonProps = ButtonStyle & {
  children: ReactNode
  /** Shows a spinner and disables the button; `pendingText` replaces the words. */
  pending?: boolean
  pendingText?: string
} & ButtonHTMLAttributes<HTMLButtonElement>

export function Button(props: ButtonProps) {
  const {
    variant,
    icon,
    wide,
    children,
    pending = false,
    pendingText,
    className,
    disabled,
    type = 'button',
    ...rest
  } = props
  return (
    <button
      // oxlint-disable-next-line react/button-has-type -- the type is one of the three, 'button' by default
      type={type}
      disabled={disabled === true || pending}
      aria-busy={pending || undefined}
      className={getButtonClass({ variant, wide }, className)}
      {...rest}
    >
      {pending ? <Spinner size="small" /> : icon && <Icon name={icon} />}
      {pending && pendingText ? pendingText : children}
    </button>
  )
}

type LinkButtonProps = ButtonStyle & { to: string; children: ReactNode; className?: string }

export function LinkButton({ to, variant, icon, wide, children, className }: LinkButtonProps) {
  return (
    <Link to={to} className={getButtonClass({ variant, wide }, className)}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}

type ExternalButtonProps = ButtonStyle & {
  href: string
  /** The target is saved, not shown. */ download?: boolean
  onClick?: MouseEventHandler
  children: ReactNode
  className?: string
}

/** For what another app opens, a call or a text, for a file to save, and for a page that is loaded by itself. */
export function ExternalButton({
  href,
  download,
  onClick,
  variant,
  icon,
  wide,
  children,
  className,
}: ExternalButtonProps) {
  return (
    <a href={href} download={download} onClick={onClick} className={getButtonClass({ variant, wide }, className)}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  )
}

type IconButtonProps = { label: string; icon: IconName } & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'>

/** A square button whose words stand beside it when it is pointed at (tooltip.ts). */
export function IconButton({ label, icon, className, type = 'button', ...rest }: IconButtonProps) {
  return (
    <button
      // oxlint-disable-next-line react/button-has-type -- the type is one of the three, 'button' by default
      type={type}
      aria-label={label}
      data-tooltip={label}
      className={classNames('btn btn-ghost size-12 rounded-field p-0', className)}
      {...rest}
    >
      <Icon name={icon} className="size-6" />
    </button>
  )
}
