import { Notifications } from '@mantine/notifications';
import classes from './NoticeList.module.css';

export const NoticeList = () => <Notifications position="bottom-right" className={classes.notices ?? ''} />;
