// The file that people begin with. The same as docs/import-example.csv; a test compares them.
export const EXAMPLE = `title,post_type,caption,hashtags,media_urls,status,scheduled_at,account,privacy_level,labels
Five ways to fold a map,slides,Number four is how the rescue service does it.,#maps #outdoors,https://example.com/fold-1.jpg https://example.com/fold-2.jpg,draft,,,,
"Tents, tested",video,"Ten tents.
One storm.",#camping,https://example.com/tents.mp4,scheduled,2030-06-01 18:00,your.account,PUBLIC_TO_EVERYONE,
A note for later,,,,,,,,,
`;
