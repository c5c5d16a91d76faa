// Controls that most visits never use load when they are first needed, not with the screen.
import { notifications } from '@mantine/notifications';
import {
  type ComponentPropsWithRef,
  type ComponentType,
  type ReactElement,
  type ReactNode,
  useEffect,
  useState,
} from 'react';

/** What the result of `lazyComponent` takes, beside the properties of the component itself. */
interface When {
  /** It is needed now. It stays from then on. */
  isNeeded: boolean;
  /** Shown until it is there. */
  meanwhile?: ReactNode;
  /** It could not be loaded; it is tried again when it is needed again. */
  onFailure?: () => void;
}

/** Loads a component when it is first needed. A failure leaves the screen as it is, with everything that was typed. */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined;
  function Later({ isNeeded, meanwhile = null, onFailure, ...props }: Props & When) {
    const [Part, setPart] = useState(() => loaded);
    const [wasNeeded, setWasNeeded] = useState(isNeeded);
    if (isNeeded && !wasNeeded) setWasNeeded(true);
    // biome-ignore lint/correctness/useExhaustiveDependencies: another handler is no reason to load again
    useEffect(() => {
      if (!isNeeded || Part) return;
      let isGone = false;
      load().then(
        (component) => {
          loaded = component;
          if (!isGone) setPart(() => component);
        },
        () => isGone || onFailure?.(),
      );
      return () => {
        isGone = true;
      };
    }, [isNeeded, Part]);
    return Part && wasNeeded ? <Part {...(props as unknown as Props)} /> : meanwhile;
  }
  /** The pointer is on the control, so it is about to be needed. */
  const prepare = () => void load().catch(() => {});
  return Object.assign(Later, { prepare });
}

interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

/** The same for a dialog. */
export function lazyDialog<Props extends DialogProps>(load: () => Promise<ComponentType<Props>>) {
  const Loaded = lazyComponent(async () => openingSoon(await load()));
  return (props: Props) => {
    const fail = () => {
      props.onClose();
      notifyLoadFailed();
    };
    return <Loaded {...props} isNeeded={props.opened} onFailure={fail} />;
  };
}

/** Mounted before it opens: only then does it return the focus to where it was. */
function openingSoon<Props extends DialogProps>(Dialog: ComponentType<Props>) {
  return (props: Props) => {
    const [isMounted, setMounted] = useState(false);
    useEffect(() => setMounted(true), []);
    return <Dialog {...props} opened={props.opened && isMounted} />;
  };
}

/** What the button of `lazyOpened` gets before and after what it opens is there. */
type ButtonProps = Pick<
  ComponentPropsWithRef<'button'>,
  'autoFocus' | 'aria-haspopup' | 'onPointerEnter' | 'onClick'
>;

/** A button that loads what it opens when it is first pressed. That then takes its place, with a button of its own. */
export function lazyOpened<Props extends { button: ReactElement }>(
  popup: 'menu' | 'dialog',
  load: () => Promise<ComponentType<Props>>,
) {
  const Opened = lazyComponent(load);
  return ({ button, ...props }: Omit<Props, 'button'> & { button: (props: ButtonProps) => ReactElement }) => {
    const [isUsed, setUsed] = useState(false);
    const fail = () => {
      setUsed(false);
      notifyLoadFailed();
    };
    const meanwhile = button({
      'aria-haspopup': popup,
      onPointerEnter: Opened.prepare,
      onClick: () => setUsed(true),
    });
    return (
      <Opened
        {...(props as unknown as Props)}
        button={button({ autoFocus: true })}
        isNeeded={isUsed}
        onFailure={fail}
        meanwhile={meanwhile}
      />
    );
  };
}

export const notifyLoadFailed = () =>
  notifications.show({
    color: 'red',
    message: 'This part of the screen could not be loaded. Check your connection and try again.',
  });

/** Asks before an action that cannot be undone. */
export const ConfirmDialog = lazyDialog(async () => (await import('./ConfirmModal.js')).ConfirmModal);
