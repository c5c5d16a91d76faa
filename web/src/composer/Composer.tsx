import { useParams } from '@tanstack/react-router';
import { EditPost } from './EditPost.js';

export function Composer() {
  const { postId } = useParams({ from: '/inside/posts/$postId/edit' });
  return <EditPost key={postId} postId={postId} />;
}
