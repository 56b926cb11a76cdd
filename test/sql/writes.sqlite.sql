-- # a type without drafts and locales
-- POST /api/countries {"name":"Italy","code":"IT"}
insert into "countries" ("document_id", "name", "code", "created_at", "updated_at", "published_at", "locale") values (+?, +?, +?, +?, +?, +?, +?);
--   text, text, text, number, number, number, text
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "countries" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "countries" t0 where t0."document_id" = +? and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a draft of scalars
-- POST /api/articles?status=draft {"title":"Plain","views":1}
insert into "articles" ("document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?);
--   text, text, null, null, null, number, null, null, null, number, null, null, null, null, null, null, null, null, number, number, null, text
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a document of scalars, created published
-- POST /api/articles {"title":"Plain"}
insert into "articles" ("document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?), (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?);
--   text, text, null, null, null, number, null, null, null, number, null, null, null, null, null, null, null, null, number, number, null, text, text, text, null, null, null, number, null, null, null, number, null, null, null, null, null, null, null, null, number, number, number, text
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a draft with links
-- POST /api/articles?status=draft {"title":"Linked","author":"<Ann>","tags":["<red>","<green>"]}
select "id", "document_id", "locale", "published_at", '', 0 from "authors" where "document_id" = +? union all select "id", "document_id", "locale", "published_at", '', 1 from "tags" where "document_id" in (+?, +?);
--   text, text, text
insert into "articles" ("document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?);
--   text, text, null, null, null, number, null, null, null, number, null, null, null, null, null, null, null, null, number, number, null, text
insert into "articles_author_lnk" ("article_id", "author_id", "article_ord") values (+?, +?, (select coalesce(max("article_ord"), 0) + 1 from "articles_author_lnk" where "author_id" = +?));
--   number, number, number
insert into "articles_tags_lnk" ("article_id", "tag_id", "tag_ord", "article_ord") values (+?, +?, +?, (select coalesce(max("article_ord"), 0) + 1 from "articles_tags_lnk" where "tag_id" = +?)), (+?, +?, +?, (select coalesce(max("article_ord"), 0) + 1 from "articles_tags_lnk" where "tag_id" = +?));
--   number, number, number, number, number, number, number, number
insert into "galley_draft_links" ("source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id") values (+?, +?, +?, +?, +?, +?, +?), (+?, +?, +?, +?, +?, +?, +?);
--   text, text, number, text, number, text, number, text, text, number, text, number, text, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a draft with files
-- POST /api/articles?status=draft {"title":"Seen","cover":"<file>","gallery":["<file>"]}
select "document_id" from "files" where "id" = +?;
--   number
select "id", "document_id", "locale", "published_at", "mime", 0 from "files" where "document_id" = +?;
--   text
insert into "articles" ("document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?);
--   text, text, null, null, null, number, null, null, null, number, null, null, null, null, null, null, null, null, number, number, null, text
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a draft with components and a zone
-- POST /api/articles?status=draft {"title":"Composed","seo":{"metaTitle":"A title"},"links":[{"label":"one"},{"label":"two"}],"zone":[{"__component":"blocks.quote","text":"Said","by":"<Ann>"},{"__component":"blocks.hero","title":"Hero","buttons":[{"label":"go"}]}]}
select "id", "document_id", "locale", "published_at", '', 0 from "authors" where "document_id" = +?;
--   text
insert into "articles" ("document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?);
--   text, text, null, null, null, number, null, null, null, number, null, null, null, null, null, null, null, null, number, number, null, text
insert into "components_shared_seos" ("meta_title", "meta_description") values (+?, +?);
--   text, null
insert into "components_shared_links" ("label", "url") values (+?, +?), (+?, +?);
--   text, null, text, null
insert into "components_blocks_quotes" ("text") values (+?);
--   text
insert into "components_blocks_quotes_by_lnk" ("quote_id", "author_id") values (+?, +?);
--   number, number
insert into "components_blocks_heroes" ("title") values (+?);
--   text
insert into "components_shared_links" ("label", "url") values (+?, +?);
--   text, null
insert into "components_blocks_heroes_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
insert into "articles_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?);
--   number, number, text, text, null, number, number, text, text, number, number, number, text, text, number, number, number, text, text, number, number, number, text, text, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a document of everything, created published
-- POST /api/articles {"title":"Rich","views":3,"author":"<Ann>","tags":["<red>","<green>","<blue>"],"related":["<Alpha>","<Beta>"],"cover":"<file>","seo":{"metaTitle":"A title","image":"<file>"},"links":[{"label":"one"},{"label":"two","target":"<Alpha>"}],"zone":[{"__component":"blocks.quote","text":"Said","by":"<Ann>"},{"__component":"blocks.hero","title":"Hero","buttons":[{"label":"go"}]}]}
select "document_id" from "files" where "id" = +?;
--   number
select "id", "document_id", "locale", "published_at", '', 0 from "authors" where "document_id" = +? union all select "id", "document_id", "locale", "published_at", '', 1 from "tags" where "document_id" in (+?, +?, +?, +?) union all select "id", "document_id", "locale", "published_at", '', 2 from "articles" where "document_id" in (+?, +?) union all select "id", "document_id", "locale", "published_at", "mime", 3 from "files" where "document_id" = +?;
--   text, text, text, text, text, text, text, text
insert into "articles" ("document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?), (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?);
--   text, text, null, null, null, number, null, null, null, number, null, null, null, null, null, null, null, null, number, number, null, text, text, text, null, null, null, number, null, null, null, number, null, null, null, null, null, null, null, null, number, number, number, text
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?);
--   number, number, text, text, number, number, number, text, text, number
insert into "articles_author_lnk" ("article_id", "author_id", "article_ord") values (+?, +?, (select coalesce(max("article_ord"), 0) + 1 from "articles_author_lnk" where "author_id" = +?));
--   number, number, number
insert into "articles_author_lnk" ("article_id", "author_id", "article_ord") values (+?, +?, (select coalesce(max("article_ord"), 0) + 1 from "articles_author_lnk" where "author_id" = +?));
--   number, number, number
insert into "articles_tags_lnk" ("article_id", "tag_id", "tag_ord", "article_ord") values (+?, +?, +?, (select coalesce(max("article_ord"), 0) + 1 from "articles_tags_lnk" where "tag_id" = +?)), (+?, +?, +?, (select coalesce(max("article_ord"), 0) + 1 from "articles_tags_lnk" where "tag_id" = +?)), (+?, +?, +?, (select coalesce(max("article_ord"), 0) + 1 from "articles_tags_lnk" where "tag_id" = +?)), (+?, +?, +?, (select coalesce(max("article_ord"), 0) + 1 from "articles_tags_lnk" where "tag_id" = +?)), (+?, +?, +?, (select coalesce(max("article_ord"), 0) + 1 from "articles_tags_lnk" where "tag_id" = +?)), (+?, +?, +?, (select coalesce(max("article_ord"), 0) + 1 from "articles_tags_lnk" where "tag_id" = +?));
--   number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number
insert into "articles_related_lnk" ("article_id", "inv_article_id", "article_ord") values (+?, +?, +?), (+?, +?, +?), (+?, +?, +?), (+?, +?, +?);
--   number, number, number, number, number, number, number, number, number, number, number, number
insert into "components_shared_seos" ("meta_title", "meta_description") values (+?, +?), (+?, +?);
--   text, null, text, null
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?);
--   number, number, text, text, number, number, number, text, text, number
insert into "components_shared_links" ("label", "url") values (+?, +?), (+?, +?), (+?, +?), (+?, +?);
--   text, null, text, null, text, null, text, null
insert into "components_shared_links_target_lnk" ("link_id", "article_id") values (+?, +?), (+?, +?);
--   number, number, number, number
insert into "components_blocks_quotes" ("text") values (+?), (+?);
--   text, text
insert into "components_blocks_quotes_by_lnk" ("quote_id", "author_id") values (+?, +?), (+?, +?);
--   number, number, number, number
insert into "components_blocks_heroes" ("title") values (+?), (+?);
--   text, text
insert into "components_shared_links" ("label", "url") values (+?, +?), (+?, +?);
--   text, null, text, null
insert into "components_blocks_heroes_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?);
--   number, number, text, text, number, number, number, text, text, number
insert into "articles_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") select "entity_id", "cmp_id", "component_type", "field", "order" from (select value ->> 0 as "entity_id", value ->> 1 as "cmp_id", value ->> 2 as "component_type", value ->> 3 as "field", value ->> 4 as "order" from json_each(+?)) given;
--   list of 10
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # scalars of a draft
-- PUT /api/articles/<it>?status=draft {"title":"b","views":2}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
update "articles" set "title" = +?, "views" = +?, "updated_at" = +? where "id" = +?;
--   text, number, number, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a document connected to a draft at the end
-- PUT /api/articles/<it>?status=draft {"related":{"connect":["<Gamma>"]}}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
select "id", "document_id", "locale", "published_at", '', 0 from "articles" where "document_id" = +?;
--   text
update "articles" set "updated_at" = +? where "id" = +?;
--   number, number
select "id", "article_id", "inv_article_id", "article_ord", 0, '', '' from "articles_related_lnk" where "article_id" = +? and +exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id") order by "article_ord", "id";
--   number
insert into "articles_related_lnk" ("article_id", "inv_article_id", "article_ord") values (+?, +?, +?);
--   number, number, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a document connected before another
-- PUT /api/articles/<it>?status=draft {"tags":{"connect":[{"documentId":"<blue>","position":{"before":"<red>"}}]}}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
select "id", "document_id", "locale", "published_at", '', 0 from "tags" where "document_id" in (+?, +?);
--   text, text
update "articles" set "updated_at" = +? where "id" = +?;
--   number, number
select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '' from "articles_tags_lnk" where "article_id" = +? and +exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") order by "tag_ord", "id";
--   number
update "articles_tags_lnk" set "tag_ord" = +? where "id" = +?;
--   number, number
update "articles_tags_lnk" set "tag_ord" = +? where "id" = +?;
--   number, number
update "articles_tags_lnk" set "tag_ord" = +? where "id" = +?;
--   number, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a document disconnected
-- PUT /api/articles/<it>?status=draft {"tags":{"disconnect":["<red>"]}}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
select "id", "document_id", "locale", "published_at", '', 0 from "tags" where "document_id" = +?;
--   text
update "articles" set "updated_at" = +? where "id" = +?;
--   number, number
select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '' from "articles_tags_lnk" where "article_id" = +? and +exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") order by "tag_ord", "id";
--   number
delete from "articles_tags_lnk" where "id" = +?;
--   number
update "articles_tags_lnk" set "tag_ord" = +? where "id" = +?;
--   number, number
update "articles_tags_lnk" set "tag_ord" = +? where "id" = +?;
--   number, number
delete from "galley_draft_links" where "source_type" = +? and "attribute" = +? and "source_id" = +? and "target_type" = +? and "target_id" = +?;
--   text, text, number, text, number
insert into "galley_draft_links" ("source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id") values (+?, +?, +?, +?, +?, +?, +?);
--   text, text, number, text, number, text, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # links set in another order
-- PUT /api/articles/<it>?status=draft {"tags":["<blue>","<green>","<red>"]}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
select "id", "document_id", "locale", "published_at", '', 0 from "tags" where "document_id" in (+?, +?, +?, +?);
--   text, text, text, text
update "articles" set "updated_at" = +? where "id" = +?;
--   number, number
select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '' from "articles_tags_lnk" where "article_id" = +? and +exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") order by "tag_ord", "id";
--   number
update "articles_tags_lnk" set "tag_ord" = +? where "id" = +?;
--   number, number
update "articles_tags_lnk" set "tag_ord" = +? where "id" = +?;
--   number, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # components and a zone replaced
-- PUT /api/articles/<it>?status=draft {"links":[{"label":"new"}],"zone":[{"__component":"blocks.quote","text":"New"}]}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
update "articles" set "updated_at" = +? where "id" = +?;
--   number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = +? and "field" = +? and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, text
delete from "articles_cmps" where "id" in (+?, +?);
--   number, number
delete from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +?;
--   number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?) and "target_type" = +?;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?) and "mentions_type" = +?;
--   number, number, text
delete from "components_shared_links_target_lnk" where "link_id" in (+?, +?);
--   number, number
delete from "components_shared_links" where "id" in (+?, +?);
--   number, number
insert into "components_shared_links" ("label", "url") values (+?, +?);
--   text, null
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = +? and "field" = +? and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, text
delete from "articles_cmps" where "id" in (+?, +?);
--   number, number
delete from "files_related_mph" where "related_id" = +? and "related_type" = +?;
--   number, text
delete from "galley_pending_links" where "source_id" = +? and "source_type" = +?;
--   number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" = +? and "target_type" = +?;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = +? and "mentions_type" = +?;
--   number, text
delete from "components_blocks_quotes_by_lnk" where "quote_id" = +?;
--   number
delete from "components_blocks_quotes" where "id" = +?;
--   number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" = +? and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
delete from "components_blocks_heroes_cmps" where "id" = +?;
--   number
delete from "files_related_mph" where "related_id" = +? and "related_type" = +?;
--   number, text
delete from "galley_pending_links" where "source_id" = +? and "source_type" = +?;
--   number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" = +? and "target_type" = +?;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = +? and "mentions_type" = +?;
--   number, text
delete from "components_shared_links_target_lnk" where "link_id" = +?;
--   number
delete from "components_shared_links" where "id" = +?;
--   number
delete from "files_related_mph" where "related_id" = +? and "related_type" = +?;
--   number, text
delete from "galley_pending_links" where "source_id" = +? and "source_type" = +?;
--   number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" = +? and "target_type" = +?;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = +? and "mentions_type" = +?;
--   number, text
delete from "components_blocks_heroes" where "id" = +?;
--   number
insert into "components_blocks_quotes" ("text") values (+?);
--   text
insert into "articles_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?);
--   number, number, text, text, number, number, number, text, text, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a first publication
-- POST /api/articles/<it>/actions/publish
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = +? and "source_type" = +?) or ("target_id" = +? and "target_type" = +?) or ("author_id" = +? and "author_type" = +?);
--   number, text, number, text, number, text
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" = +? and +exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" = +? and +exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" = +? and +exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, text, text, number, text, text, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = +? and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "title", "slug", "body", "blocks", "views", case typeof("big") when 'integer' then cast("big" as text) else "big" end, "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = +?;
--   number
select "id", "source_type", "source_id", "attribute", "link_order", "inverse_order" from "galley_pending_links" where "target_type" = +? and "target_document_id" = +? and "target_locale" = +? order by "id";
--   text, text, text
select "id", "file_id", "related_id", "order", 0, "related_type", "field", 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 1 from "articles_related_lnk" where "inv_article_id" = +? and +exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."article_id") union all select "id", "id", "target_id", 0, 0, "target_type", '', 2 from "events" where "target_id" = +? and "target_type" = +? union all select "id", "event_id", "mentions_id", "order", 0, "mentions_type", "field", 3 from "events_mentions_mph" where "mentions_id" = +? and "mentions_type" = +? and +exists (select 1 from "events" led where led."id" = "events_mentions_mph"."event_id") union all select "id", "homepage_id", "article_id", "article_ord", 0, '', '', 4 from "homepages_picks_lnk" where "article_id" = +? and +exists (select 1 from "homepages" led where led."id" = "homepages_picks_lnk"."homepage_id") union all select "id", "link_id", "article_id", 0, 0, '', '', 5 from "components_shared_links_target_lnk" where "article_id" = +? and +exists (select 1 from "components_shared_links" led where led."id" = "components_shared_links_target_lnk"."link_id");
--   number, text, number, number, text, number, text, number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, text, text
select "id", "meta_title", "meta_description" from "components_shared_seos" where "id" = +?;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in (+?, +?) and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select "id", "label", "url" from "components_shared_links" where "id" in (+?, +?);
--   number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" = +? and +exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number
select "id", "text" from "components_blocks_quotes" where "id" = +?;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" = +? and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "title" from "components_blocks_heroes" where "id" = +?;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" = +? and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number
select "id", "label", "url" from "components_shared_links" where "id" = +?;
--   number
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select value ->> 0 as "v" from json_each(+?)) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select value ->> 0 as "v" from json_each(+?)) given);
--   list of 2
insert into "articles" ("published_at", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "created_by_id", "locale", "updated_at", "updated_by_id") select +? as "published_at", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "created_by_id", "locale", "updated_at", "updated_by_id" from "articles" where "id" = +? returning "id";
--   number, number
insert into "components_shared_seos" ("meta_title", "meta_description") select "meta_title", "meta_description" from "components_shared_seos" where "id" = +? returning "id";
--   number
insert into "components_shared_links" ("label", "url") select "label", "url" from "components_shared_links" where "id" = +? returning "id";
--   number
insert into "components_shared_links" ("label", "url") select "label", "url" from "components_shared_links" where "id" = +? returning "id";
--   number
insert into "components_shared_links" ("label", "url") select "label", "url" from "components_shared_links" where "id" = +? returning "id";
--   number
insert into "components_blocks_quotes" ("text") select "text" from "components_blocks_quotes" where "id" = +? returning "id";
--   number
insert into "components_blocks_heroes" ("title") select "title" from "components_blocks_heroes" where "id" = +? returning "id";
--   number
insert into "articles_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?);
--   number, number, text, text, null, number, number, text, text, number, number, number, text, text, number, number, number, text, text, number, number, number, text, text, number
insert into "components_blocks_heroes_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
select given."n", (select coalesce(l."article_ord", 0) from "articles_author_lnk" f cross join "articles" own cross join "articles" other cross join "articles_author_lnk" l where f."author_id" = given."like_to" and f."article_ord" > given."like_order" and own."id" = f."article_id" and other."document_id" = own."document_id" and other."id" <> own."id" and other."locale" is own."locale" and other."published_at" is not null and l."article_id" = other."id" and l."author_id" = given."to" order by f."article_ord", f."id", l."article_ord" desc, l."id" desc limit 1), (select max("article_ord") from "articles_author_lnk" where "author_id" = given."to") from (select value ->> 0 as "n", value ->> 1 as "to", value ->> 2 as "like_to", value ->> 3 as "like_order" from json_each(+?)) given;
--   list of 1
insert into "articles_author_lnk" ("article_id", "author_id", "article_ord") values (+?, +?, +?);
--   number, number, number
select given."n", (select coalesce(l."article_ord", 0) from "articles_tags_lnk" f cross join "articles" own cross join "articles" other cross join "articles_tags_lnk" l where f."tag_id" = given."like_to" and f."article_ord" > given."like_order" and own."id" = f."article_id" and other."document_id" = own."document_id" and other."id" <> own."id" and other."locale" is own."locale" and other."published_at" is not null and l."article_id" = other."id" and l."tag_id" = given."to" order by f."article_ord", f."id", l."article_ord" desc, l."id" desc limit 1), (select max("article_ord") from "articles_tags_lnk" where "tag_id" = given."to") from (select value ->> 0 as "n", value ->> 1 as "to", value ->> 2 as "like_to", value ->> 3 as "like_order" from json_each(+?)) given;
--   list of 3
insert into "articles_tags_lnk" ("article_id", "tag_id", "tag_ord", "article_ord") values (+?, +?, +?, +?), (+?, +?, +?, +?), (+?, +?, +?, +?);
--   number, number, number, number, number, number, number, number, number, number, number, number
insert into "articles_related_lnk" ("article_id", "inv_article_id", "article_ord") values (+?, +?, +?), (+?, +?, +?);
--   number, number, number, number, number, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
insert into "components_shared_links_target_lnk" ("link_id", "article_id") values (+?, +?);
--   number, number
insert into "components_blocks_quotes_by_lnk" ("quote_id", "author_id") values (+?, +?);
--   number, number
select "id", "file_id", "related_id", "order", 0, "related_type", "field" from "files_related_mph" where "file_id" = +? and case "related_type" when 'admin::user' then exists (select 1 from "admin_users" led where led."id" = "files_related_mph"."related_id") when 'admin::role' then exists (select 1 from "admin_roles" led where led."id" = "files_related_mph"."related_id") when 'admin::permission' then exists (select 1 from "admin_permissions" led where led."id" = "files_related_mph"."related_id") when 'plugin::upload.folder' then exists (select 1 from "upload_folders" led where led."id" = "files_related_mph"."related_id") when 'plugin::upload.file' then exists (select 1 from "files" led where led."id" = "files_related_mph"."related_id") when 'plugin::i18n.locale' then exists (select 1 from "i18n_locale" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.role' then exists (select 1 from "up_roles" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.permission' then exists (select 1 from "up_permissions" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.user' then exists (select 1 from "up_users" led where led."id" = "files_related_mph"."related_id") when 'admin::api-token' then exists (select 1 from "strapi_api_tokens" led where led."id" = "files_related_mph"."related_id") when 'admin::api-token-permission' then exists (select 1 from "strapi_api_token_permissions" led where led."id" = "files_related_mph"."related_id") when 'api::article.article' then exists (select 1 from "articles" led where led."id" = "files_related_mph"."related_id") when 'api::author.author' then exists (select 1 from "authors" led where led."id" = "files_related_mph"."related_id") when 'api::country.country' then exists (select 1 from "countries" led where led."id" = "files_related_mph"."related_id") when 'api::event.event' then exists (select 1 from "events" led where led."id" = "files_related_mph"."related_id") when 'api::homepage.homepage' then exists (select 1 from "homepages" led where led."id" = "files_related_mph"."related_id") when 'api::profile.profile' then exists (select 1 from "profiles" led where led."id" = "files_related_mph"."related_id") when 'api::setting.setting' then exists (select 1 from "settings" led where led."id" = "files_related_mph"."related_id") when 'api::tag.tag' then exists (select 1 from "tags" led where led."id" = "files_related_mph"."related_id") else 1 = 0 end order by "order", "id";
--   number
delete from "galley_draft_links" where "author_type" = +? and "author_id" = +?;
--   text, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a publication of what was changed
-- POST /api/articles/<it>/actions/publish
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = +? and "source_type" = +?) or ("target_id" = +? and "target_type" = +?) or ("author_id" = +? and "author_type" = +?);
--   number, text, number, text, number, text
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" in (+?, +?) and +exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" in (+?, +?) and +exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" in (+?, +?) and +exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, number, text, text, number, number, text, text, number, number, number, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "title", "slug", "body", "blocks", "views", case typeof("big") when 'integer' then cast("big" as text) else "big" end, "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = +?;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "meta_title", "meta_description" from "components_shared_seos" where "id" = +?;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in (+?, +?, +?, +?) and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number, number, number
select "id", "label", "url" from "components_shared_links" where "id" in (+?, +?);
--   number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" in (+?, +?) and +exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number, number
select "id", "text" from "components_blocks_quotes" where "id" = +?;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "title" from "components_blocks_heroes" where "id" = +?;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in (+?, +?) and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select "id", "label", "url" from "components_shared_links" where "id" = +?;
--   number
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select value ->> 0 as "v" from json_each(+?)) given);
--   list of 2
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select value ->> 0 as "v" from json_each(+?)) given);
--   list of 2
update "articles" set "published_at" = +?, ("title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id") = (select "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id" from "articles" where "id" = +?) where "id" = +?;
--   number, number, number
update "components_shared_seos" set "meta_title" = own."meta_title", "meta_description" = own."meta_description" from "components_shared_seos" own where own."id" = +? and "components_shared_seos"."id" = +? and not ("components_shared_seos"."meta_title" is own."meta_title" and "components_shared_seos"."meta_description" is own."meta_description") returning "components_shared_seos"."id";
--   number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from "components_shared_links" own where own."id" = +? and "components_shared_links"."id" = +? and not ("components_shared_links"."label" is own."label" and "components_shared_links"."url" is own."url") returning "components_shared_links"."id";
--   number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from "components_shared_links" own where own."id" = +? and "components_shared_links"."id" = +? and not ("components_shared_links"."label" is own."label" and "components_shared_links"."url" is own."url") returning "components_shared_links"."id";
--   number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from "components_shared_links" own where own."id" = +? and "components_shared_links"."id" = +? and not ("components_shared_links"."label" is own."label" and "components_shared_links"."url" is own."url") returning "components_shared_links"."id";
--   number, number
update "components_blocks_quotes" set "text" = own."text" from "components_blocks_quotes" own where own."id" = +? and "components_blocks_quotes"."id" = +? and not ("components_blocks_quotes"."text" is own."text") returning "components_blocks_quotes"."id";
--   number, number
update "components_blocks_heroes" set "title" = own."title" from "components_blocks_heroes" own where own."id" = +? and "components_blocks_heroes"."id" = +? and not ("components_blocks_heroes"."title" is own."title") returning "components_blocks_heroes"."id";
--   number, number
delete from "galley_pending_links" where "source_type" = +? and "source_id" = +?;
--   text, number
delete from "galley_pending_links" where "source_type" = +? and "source_id" in (+?, +?, +?, +?);
--   text, number, number, number, number
delete from "galley_pending_links" where "source_type" = +? and "source_id" = +?;
--   text, number
delete from "articles_tags_lnk" where "id" = +?;
--   number
update "articles_tags_lnk" set "tag_ord" = +? where "id" = +?;
--   number, number
update "articles_tags_lnk" set "tag_ord" = +? where "id" = +?;
--   number, number
delete from "galley_draft_links" where "author_type" = +? and "author_id" = +?;
--   text, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a title changed and published
-- PUT /api/articles/<it> {"title":"c"}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
update "articles" set "title" = +?, "updated_at" = +? where "id" = +?;
--   text, number, number
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = +? and "source_type" = +?) or ("target_id" = +? and "target_type" = +?) or ("author_id" = +? and "author_type" = +?);
--   number, text, number, text, number, text
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" in (+?, +?) and +exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" in (+?, +?) and +exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" in (+?, +?) and +exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, number, text, text, number, number, text, text, number, number, number, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "title", "slug", "body", "blocks", "views", case typeof("big") when 'integer' then cast("big" as text) else "big" end, "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = +?;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "meta_title", "meta_description" from "components_shared_seos" where "id" = +?;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in (+?, +?, +?, +?) and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number, number, number
select "id", "label", "url" from "components_shared_links" where "id" in (+?, +?);
--   number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" in (+?, +?) and +exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number, number
select "id", "text" from "components_blocks_quotes" where "id" = +?;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "title" from "components_blocks_heroes" where "id" = +?;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in (+?, +?) and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select "id", "label", "url" from "components_shared_links" where "id" = +?;
--   number
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select value ->> 0 as "v" from json_each(+?)) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select value ->> 0 as "v" from json_each(+?)) given);
--   list of 2
update "articles" set "published_at" = +?, ("title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id") = (select "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id" from "articles" where "id" = +?) where "id" = +?;
--   number, number, number
update "components_shared_seos" set "meta_title" = own."meta_title", "meta_description" = own."meta_description" from "components_shared_seos" own where own."id" = +? and "components_shared_seos"."id" = +? and not ("components_shared_seos"."meta_title" is own."meta_title" and "components_shared_seos"."meta_description" is own."meta_description") returning "components_shared_seos"."id";
--   number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from "components_shared_links" own where own."id" = +? and "components_shared_links"."id" = +? and not ("components_shared_links"."label" is own."label" and "components_shared_links"."url" is own."url") returning "components_shared_links"."id";
--   number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from "components_shared_links" own where own."id" = +? and "components_shared_links"."id" = +? and not ("components_shared_links"."label" is own."label" and "components_shared_links"."url" is own."url") returning "components_shared_links"."id";
--   number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from "components_shared_links" own where own."id" = +? and "components_shared_links"."id" = +? and not ("components_shared_links"."label" is own."label" and "components_shared_links"."url" is own."url") returning "components_shared_links"."id";
--   number, number
update "components_blocks_quotes" set "text" = own."text" from "components_blocks_quotes" own where own."id" = +? and "components_blocks_quotes"."id" = +? and not ("components_blocks_quotes"."text" is own."text") returning "components_blocks_quotes"."id";
--   number, number
update "components_blocks_heroes" set "title" = own."title" from "components_blocks_heroes" own where own."id" = +? and "components_blocks_heroes"."id" = +? and not ("components_blocks_heroes"."title" is own."title") returning "components_blocks_heroes"."id";
--   number, number
delete from "galley_pending_links" where "source_type" = +? and "source_id" = +?;
--   text, number
delete from "galley_pending_links" where "source_type" = +? and "source_id" in (+?, +?, +?, +?);
--   text, number, number, number, number
delete from "galley_pending_links" where "source_type" = +? and "source_id" = +?;
--   text, number
delete from "galley_draft_links" where "author_type" = +? and "author_id" = +?;
--   text, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # an end of publication
-- POST /api/articles/<it>/actions/unpublish
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
select "id", "file_id", "related_id", "order", 0, "related_type", "field", 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 1 from "articles_related_lnk" where "inv_article_id" = +? and +exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."article_id") union all select "id", "id", "target_id", 0, 0, "target_type", '', 2 from "events" where "target_id" = +? and "target_type" = +? union all select "id", "event_id", "mentions_id", "order", 0, "mentions_type", "field", 3 from "events_mentions_mph" where "mentions_id" = +? and "mentions_type" = +? and +exists (select 1 from "events" led where led."id" = "events_mentions_mph"."event_id") union all select "id", "homepage_id", "article_id", "article_ord", 0, '', '', 4 from "homepages_picks_lnk" where "article_id" = +? and +exists (select 1 from "homepages" led where led."id" = "homepages_picks_lnk"."homepage_id") union all select "id", "link_id", "article_id", 0, 0, '', '', 5 from "components_shared_links_target_lnk" where "article_id" = +? and +exists (select 1 from "components_shared_links" led where led."id" = "components_shared_links_target_lnk"."link_id");
--   number, text, number, number, text, number, text, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = +? and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
delete from "articles_cmps" where "id" in (+?, +?, +?, +?, +?, +?, +?, +?);
--   number, number, number, number, number, number, number, number
delete from "files_related_mph" where "related_id" = +? and "related_type" = +?;
--   number, text
delete from "galley_pending_links" where "source_id" = +? and "source_type" = +?;
--   number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" = +? and "target_type" = +?;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = +? and "mentions_type" = +?;
--   number, text
delete from "components_shared_seos" where "id" = +?;
--   number
delete from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +?;
--   number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?) and "target_type" = +?;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?) and "mentions_type" = +?;
--   number, number, text
delete from "components_shared_links_target_lnk" where "link_id" in (+?, +?);
--   number, number
delete from "components_shared_links" where "id" in (+?, +?);
--   number, number
delete from "files_related_mph" where "related_id" = +? and "related_type" = +?;
--   number, text
delete from "galley_pending_links" where "source_id" = +? and "source_type" = +?;
--   number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" = +? and "target_type" = +?;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = +? and "mentions_type" = +?;
--   number, text
delete from "components_blocks_quotes_by_lnk" where "quote_id" = +?;
--   number
delete from "components_blocks_quotes" where "id" = +?;
--   number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" = +? and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
delete from "components_blocks_heroes_cmps" where "id" = +?;
--   number
delete from "files_related_mph" where "related_id" = +? and "related_type" = +?;
--   number, text
delete from "galley_pending_links" where "source_id" = +? and "source_type" = +?;
--   number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" = +? and "target_type" = +?;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = +? and "mentions_type" = +?;
--   number, text
delete from "components_shared_links_target_lnk" where "link_id" = +?;
--   number
delete from "components_shared_links" where "id" = +?;
--   number
delete from "files_related_mph" where "related_id" = +? and "related_type" = +?;
--   number, text
delete from "galley_pending_links" where "source_id" = +? and "source_type" = +?;
--   number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" = +? and "target_type" = +?;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = +? and "mentions_type" = +?;
--   number, text
delete from "components_blocks_heroes" where "id" = +?;
--   number
delete from "files_related_mph" where "related_id" = +? and "related_type" = +?;
--   number, text
delete from "galley_pending_links" where "source_id" = +? and "source_type" = +?;
--   number, text
delete from "galley_draft_links" where "source_id" = +? and "source_type" = +?;
--   number, text
delete from "galley_draft_links" where "target_id" = +? and "target_type" = +?;
--   number, text
delete from "galley_draft_links" where "author_id" = +? and "author_type" = +?;
--   number, text
delete from "articles_author_lnk" where "article_id" = +?;
--   number
delete from "articles_tags_lnk" where "article_id" = +?;
--   number
delete from "articles_related_lnk" where "article_id" = +?;
--   number
delete from "articles_related_lnk" where "inv_article_id" = +?;
--   number
update "events" set "target_id" = +?, "target_type" = +? where "target_id" = +? and "target_type" = +?;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = +? and "mentions_type" = +?;
--   number, text
delete from "homepages_picks_lnk" where "article_id" = +?;
--   number
delete from "components_shared_links_target_lnk" where "article_id" = +?;
--   number
delete from "articles" where "id" = +?;
--   number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a draft discarded
-- POST /api/articles/<it>/actions/discard-draft
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
select 1 from "articles" a, "articles" b where a."id" = +? and b."id" = +? and not (a."title" is b."title" and a."slug" is b."slug" and a."body" is b."body" and a."blocks" is b."blocks" and a."views" is b."views" and a."big" is b."big" and a."rating" is b."rating" and a."price" is b."price" and a."featured" is b."featured" and a."kind" is b."kind" and a."day" is b."day" and a."at" is b."at" and a."hour" is b."hour" and a."contact" is b."contact" and a."secret" is b."secret" and a."hidden" is b."hidden" and a."meta" is b."meta" and a."updated_at" is b."updated_at" and a."updated_by_id" is b."updated_by_id");
--   number, number
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = +? and "source_type" = +?) or ("target_id" = +? and "target_type" = +?) or ("author_id" = +? and "author_type" = +?);
--   number, text, number, text, number, text
update "articles" set ("title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id") = (select "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id" from "articles" where "id" = +?) where "id" = +?;
--   number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" in (+?, +?) and +exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" in (+?, +?) and +exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" in (+?, +?) and +exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, number, text, text, number, number, text, text, number, number, number, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in (+?, +?, +?, +?) and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number, number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" in (+?, +?) and +exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in (+?, +?) and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is t."locale" and o."published_at" is null where t."id" in (select given."v" from (select value ->> 0 as "v" from json_each(+?)) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is t."locale" and o."published_at" is null where t."id" in (select given."v" from (select value ->> 0 as "v" from json_each(+?)) given);
--   list of 2
update "components_shared_seos" set "meta_title" = own."meta_title", "meta_description" = own."meta_description" from "components_shared_seos" own where own."id" = +? and "components_shared_seos"."id" = +? and not ("components_shared_seos"."meta_title" is own."meta_title" and "components_shared_seos"."meta_description" is own."meta_description") returning "components_shared_seos"."id";
--   number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from "components_shared_links" own where own."id" = +? and "components_shared_links"."id" = +? and not ("components_shared_links"."label" is own."label" and "components_shared_links"."url" is own."url") returning "components_shared_links"."id";
--   number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from "components_shared_links" own where own."id" = +? and "components_shared_links"."id" = +? and not ("components_shared_links"."label" is own."label" and "components_shared_links"."url" is own."url") returning "components_shared_links"."id";
--   number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from "components_shared_links" own where own."id" = +? and "components_shared_links"."id" = +? and not ("components_shared_links"."label" is own."label" and "components_shared_links"."url" is own."url") returning "components_shared_links"."id";
--   number, number
update "components_blocks_quotes" set "text" = own."text" from "components_blocks_quotes" own where own."id" = +? and "components_blocks_quotes"."id" = +? and not ("components_blocks_quotes"."text" is own."text") returning "components_blocks_quotes"."id";
--   number, number
update "components_blocks_heroes" set "title" = own."title" from "components_blocks_heroes" own where own."id" = +? and "components_blocks_heroes"."id" = +? and not ("components_blocks_heroes"."title" is own."title") returning "components_blocks_heroes"."id";
--   number, number
select given."n", (select coalesce(l."article_ord", 0) from "articles_tags_lnk" f cross join "articles" own cross join "articles" other cross join "articles_tags_lnk" l where f."tag_id" = given."like_to" and f."article_ord" > given."like_order" and own."id" = f."article_id" and other."document_id" = own."document_id" and other."id" <> own."id" and other."locale" is own."locale" and other."published_at" is null and l."article_id" = other."id" and l."tag_id" = given."to" order by f."article_ord", f."id", l."article_ord" desc, l."id" desc limit 1), (select max("article_ord") from "articles_tags_lnk" where "tag_id" = given."to") from (select value ->> 0 as "n", value ->> 1 as "to", value ->> 2 as "like_to", value ->> 3 as "like_order" from json_each(+?)) given;
--   list of 1
insert into "articles_tags_lnk" ("article_id", "tag_id", "tag_ord", "article_ord") values (+?, +?, +?, +?);
--   number, number, number, number
update "articles_tags_lnk" set "tag_ord" = +? where "id" = +?;
--   number, number
update "articles_tags_lnk" set "tag_ord" = +? where "id" = +?;
--   number, number
delete from "galley_draft_links" where "author_type" = +? and "author_id" = +?;
--   text, number
delete from "galley_draft_links" where "source_type" = +? and "source_id" = +?;
--   text, number
delete from "galley_draft_links" where "target_type" = +? and "target_id" = +?;
--   text, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a new locale, which inherits shared attributes
-- PUT /api/articles/<it>?locale=fr {"title":"Riche"}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
select "id" from "i18n_locale" where "code" = +?;
--   text
insert into "articles" ("document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?);
--   text, text, null, null, null, number, null, null, null, number, null, null, null, null, null, null, null, null, number, number, null, text
update "articles" set ("views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta") = (select "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = +?) where "id" = +?;
--   number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text, number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = +? and "source_type" = +?) or ("target_id" = +? and "target_type" = +?) or ("author_id" = +? and "author_type" = +?);
--   number, text, number, text, number, text
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" = +? and +exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" = +? and +exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" = +? and +exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, text, text, number, text, text, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = +? and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "title", "slug", "body", "blocks", "views", case typeof("big") when 'integer' then cast("big" as text) else "big" end, "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = +?;
--   number
select "id", "source_type", "source_id", "attribute", "link_order", "inverse_order" from "galley_pending_links" where "target_type" = +? and "target_document_id" = +? and "target_locale" = +? order by "id";
--   text, text, text
select "id", "file_id", "related_id", "order", 0, "related_type", "field", 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 1 from "articles_related_lnk" where "inv_article_id" = +? and +exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."article_id") union all select "id", "id", "target_id", 0, 0, "target_type", '', 2 from "events" where "target_id" = +? and "target_type" = +? union all select "id", "event_id", "mentions_id", "order", 0, "mentions_type", "field", 3 from "events_mentions_mph" where "mentions_id" = +? and "mentions_type" = +? and +exists (select 1 from "events" led where led."id" = "events_mentions_mph"."event_id") union all select "id", "homepage_id", "article_id", "article_ord", 0, '', '', 4 from "homepages_picks_lnk" where "article_id" = +? and +exists (select 1 from "homepages" led where led."id" = "homepages_picks_lnk"."homepage_id") union all select "id", "link_id", "article_id", 0, 0, '', '', 5 from "components_shared_links_target_lnk" where "article_id" = +? and +exists (select 1 from "components_shared_links" led where led."id" = "components_shared_links_target_lnk"."link_id");
--   number, text, number, number, text, number, text, number, number
insert into "articles" ("published_at", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "created_by_id", "locale", "updated_at", "updated_by_id") select +? as "published_at", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "created_by_id", "locale", "updated_at", "updated_by_id" from "articles" where "id" = +? returning "id";
--   number, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
select "id", "file_id", "related_id", "order", 0, "related_type", "field" from "files_related_mph" where "file_id" = +? and case "related_type" when 'admin::user' then exists (select 1 from "admin_users" led where led."id" = "files_related_mph"."related_id") when 'admin::role' then exists (select 1 from "admin_roles" led where led."id" = "files_related_mph"."related_id") when 'admin::permission' then exists (select 1 from "admin_permissions" led where led."id" = "files_related_mph"."related_id") when 'plugin::upload.folder' then exists (select 1 from "upload_folders" led where led."id" = "files_related_mph"."related_id") when 'plugin::upload.file' then exists (select 1 from "files" led where led."id" = "files_related_mph"."related_id") when 'plugin::i18n.locale' then exists (select 1 from "i18n_locale" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.role' then exists (select 1 from "up_roles" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.permission' then exists (select 1 from "up_permissions" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.user' then exists (select 1 from "up_users" led where led."id" = "files_related_mph"."related_id") when 'admin::api-token' then exists (select 1 from "strapi_api_tokens" led where led."id" = "files_related_mph"."related_id") when 'admin::api-token-permission' then exists (select 1 from "strapi_api_token_permissions" led where led."id" = "files_related_mph"."related_id") when 'api::article.article' then exists (select 1 from "articles" led where led."id" = "files_related_mph"."related_id") when 'api::author.author' then exists (select 1 from "authors" led where led."id" = "files_related_mph"."related_id") when 'api::country.country' then exists (select 1 from "countries" led where led."id" = "files_related_mph"."related_id") when 'api::event.event' then exists (select 1 from "events" led where led."id" = "files_related_mph"."related_id") when 'api::homepage.homepage' then exists (select 1 from "homepages" led where led."id" = "files_related_mph"."related_id") when 'api::profile.profile' then exists (select 1 from "profiles" led where led."id" = "files_related_mph"."related_id") when 'api::setting.setting' then exists (select 1 from "settings" led where led."id" = "files_related_mph"."related_id") when 'api::tag.tag' then exists (select 1 from "tags" led where led."id" = "files_related_mph"."related_id") else 1 = 0 end order by "order", "id";
--   number
delete from "galley_draft_links" where "author_type" = +? and "author_id" = +?;
--   text, number
select 1 from "articles" a, "articles" b where a."id" = +? and b."id" = +? and not (a."views" is b."views" and a."big" is b."big" and a."rating" is b."rating" and a."price" is b."price" and a."featured" is b."featured" and a."kind" is b."kind" and a."day" is b."day" and a."at" is b."at" and a."hour" is b."hour" and a."contact" is b."contact" and a."secret" is b."secret" and a."hidden" is b."hidden" and a."meta" is b."meta");
--   number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text, number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a shared attribute of a document in two locales
-- after PUT /api/articles/<it>?locale=fr {"title":"Riche"}
-- PUT /api/articles/<it> {"views":9}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
update "articles" set "views" = +?, "updated_at" = +? where "id" = +?;
--   number, number, number
select 1 from "articles" a, "articles" b where a."id" = +? and b."id" = +? and not (a."views" is b."views" and a."big" is b."big" and a."rating" is b."rating" and a."price" is b."price" and a."featured" is b."featured" and a."kind" is b."kind" and a."day" is b."day" and a."at" is b."at" and a."hour" is b."hour" and a."contact" is b."contact" and a."secret" is b."secret" and a."hidden" is b."hidden" and a."meta" is b."meta");
--   number, number
update "articles" set ("views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta") = (select "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = +?) where "id" = +?;
--   number, number
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = +? and "source_type" = +?) or ("target_id" = +? and "target_type" = +?) or ("author_id" = +? and "author_type" = +?);
--   number, text, number, text, number, text
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" in (+?, +?) and +exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" in (+?, +?) and +exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" in (+?, +?) and +exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, number, text, text, number, number, text, text, number, number, number, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "title", "slug", "body", "blocks", "views", case typeof("big") when 'integer' then cast("big" as text) else "big" end, "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = +?;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "meta_title", "meta_description" from "components_shared_seos" where "id" = +?;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in (+?, +?, +?, +?) and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number, number, number
select "id", "label", "url" from "components_shared_links" where "id" in (+?, +?);
--   number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" in (+?, +?) and +exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number, number
select "id", "text" from "components_blocks_quotes" where "id" = +?;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "title" from "components_blocks_heroes" where "id" = +?;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in (+?, +?) and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select "id", "label", "url" from "components_shared_links" where "id" = +?;
--   number
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select value ->> 0 as "v" from json_each(+?)) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select value ->> 0 as "v" from json_each(+?)) given);
--   list of 2
update "articles" set "published_at" = +?, ("title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id") = (select "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id" from "articles" where "id" = +?) where "id" = +?;
--   number, number, number
update "components_shared_seos" set "meta_title" = own."meta_title", "meta_description" = own."meta_description" from "components_shared_seos" own where own."id" = +? and "components_shared_seos"."id" = +? and not ("components_shared_seos"."meta_title" is own."meta_title" and "components_shared_seos"."meta_description" is own."meta_description") returning "components_shared_seos"."id";
--   number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from "components_shared_links" own where own."id" = +? and "components_shared_links"."id" = +? and not ("components_shared_links"."label" is own."label" and "components_shared_links"."url" is own."url") returning "components_shared_links"."id";
--   number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from "components_shared_links" own where own."id" = +? and "components_shared_links"."id" = +? and not ("components_shared_links"."label" is own."label" and "components_shared_links"."url" is own."url") returning "components_shared_links"."id";
--   number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from "components_shared_links" own where own."id" = +? and "components_shared_links"."id" = +? and not ("components_shared_links"."label" is own."label" and "components_shared_links"."url" is own."url") returning "components_shared_links"."id";
--   number, number
update "components_blocks_quotes" set "text" = own."text" from "components_blocks_quotes" own where own."id" = +? and "components_blocks_quotes"."id" = +? and not ("components_blocks_quotes"."text" is own."text") returning "components_blocks_quotes"."id";
--   number, number
update "components_blocks_heroes" set "title" = own."title" from "components_blocks_heroes" own where own."id" = +? and "components_blocks_heroes"."id" = +? and not ("components_blocks_heroes"."title" is own."title") returning "components_blocks_heroes"."id";
--   number, number
delete from "galley_pending_links" where "source_type" = +? and "source_id" = +?;
--   text, number
delete from "galley_pending_links" where "source_type" = +? and "source_id" in (+?, +?, +?, +?);
--   text, number, number, number, number
delete from "galley_pending_links" where "source_type" = +? and "source_id" = +?;
--   text, number
delete from "galley_draft_links" where "author_type" = +? and "author_id" = +?;
--   text, number
select 1 from "articles" a, "articles" b where a."id" = +? and b."id" = +? and not (a."views" is b."views" and a."big" is b."big" and a."rating" is b."rating" and a."price" is b."price" and a."featured" is b."featured" and a."kind" is b."kind" and a."day" is b."day" and a."at" is b."at" and a."hour" is b."hour" and a."contact" is b."contact" and a."secret" is b."secret" and a."hidden" is b."hidden" and a."meta" is b."meta");
--   number, number
update "articles" set ("views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta") = (select "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = +?) where "id" = +?;
--   number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text, number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a deletion of a document
-- DELETE /api/articles/<it>
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
delete from "articles_cmps" where "id" in (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?);
--   number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number
delete from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +?;
--   number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?) and "target_type" = +?;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?) and "mentions_type" = +?;
--   number, number, text
delete from "components_shared_seos" where "id" in (+?, +?);
--   number, number
delete from "files_related_mph" where "related_id" in (+?, +?, +?, +?) and "related_type" = +?;
--   number, number, number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?, +?, +?) and "source_type" = +?;
--   number, number, number, number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?, +?, +?) and "target_type" = +?;
--   null, null, number, number, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?, +?, +?) and "mentions_type" = +?;
--   number, number, number, number, text
delete from "components_shared_links_target_lnk" where "link_id" in (+?, +?, +?, +?);
--   number, number, number, number
delete from "components_shared_links" where "id" in (+?, +?, +?, +?);
--   number, number, number, number
delete from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +?;
--   number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?) and "target_type" = +?;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?) and "mentions_type" = +?;
--   number, number, text
delete from "components_blocks_quotes_by_lnk" where "quote_id" in (+?, +?);
--   number, number
delete from "components_blocks_quotes" where "id" in (+?, +?);
--   number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
delete from "components_blocks_heroes_cmps" where "id" in (+?, +?);
--   number, number
delete from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +?;
--   number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?) and "target_type" = +?;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?) and "mentions_type" = +?;
--   number, number, text
delete from "components_shared_links_target_lnk" where "link_id" in (+?, +?);
--   number, number
delete from "components_shared_links" where "id" in (+?, +?);
--   number, number
delete from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +?;
--   number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?) and "target_type" = +?;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?) and "mentions_type" = +?;
--   number, number, text
delete from "components_blocks_heroes" where "id" in (+?, +?);
--   number, number
delete from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +?;
--   number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
delete from "galley_draft_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
delete from "galley_draft_links" where "target_id" in (+?, +?) and "target_type" = +?;
--   number, number, text
delete from "galley_draft_links" where "author_id" in (+?, +?) and "author_type" = +?;
--   number, number, text
delete from "articles_author_lnk" where "article_id" in (+?, +?);
--   number, number
delete from "articles_tags_lnk" where "article_id" in (+?, +?);
--   number, number
delete from "articles_related_lnk" where "article_id" in (+?, +?);
--   number, number
delete from "articles_related_lnk" where "inv_article_id" in (+?, +?);
--   number, number
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?) and "target_type" = +?;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?) and "mentions_type" = +?;
--   number, number, text
delete from "homepages_picks_lnk" where "article_id" in (+?, +?);
--   number, number
delete from "components_shared_links_target_lnk" where "article_id" in (+?, +?);
--   number, number
delete from "articles" where "id" in (+?, +?);
--   number, number
delete from "galley_pending_links" where "target_type" = +? and "target_document_id" = +? and "target_locale" = +?;
--   text, text, text

-- # a deletion of a locale
-- DELETE /api/articles/<it>?locale=en
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
delete from "articles_cmps" where "id" in (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?);
--   number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number
delete from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +?;
--   number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?) and "target_type" = +?;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?) and "mentions_type" = +?;
--   number, number, text
delete from "components_shared_seos" where "id" in (+?, +?);
--   number, number
delete from "files_related_mph" where "related_id" in (+?, +?, +?, +?) and "related_type" = +?;
--   number, number, number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?, +?, +?) and "source_type" = +?;
--   number, number, number, number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?, +?, +?) and "target_type" = +?;
--   null, null, number, number, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?, +?, +?) and "mentions_type" = +?;
--   number, number, number, number, text
delete from "components_shared_links_target_lnk" where "link_id" in (+?, +?, +?, +?);
--   number, number, number, number
delete from "components_shared_links" where "id" in (+?, +?, +?, +?);
--   number, number, number, number
delete from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +?;
--   number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?) and "target_type" = +?;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?) and "mentions_type" = +?;
--   number, number, text
delete from "components_blocks_quotes_by_lnk" where "quote_id" in (+?, +?);
--   number, number
delete from "components_blocks_quotes" where "id" in (+?, +?);
--   number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" in (+?, +?) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
delete from "components_blocks_heroes_cmps" where "id" in (+?, +?);
--   number, number
delete from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +?;
--   number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?) and "target_type" = +?;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?) and "mentions_type" = +?;
--   number, number, text
delete from "components_shared_links_target_lnk" where "link_id" in (+?, +?);
--   number, number
delete from "components_shared_links" where "id" in (+?, +?);
--   number, number
delete from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +?;
--   number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?) and "target_type" = +?;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?) and "mentions_type" = +?;
--   number, number, text
delete from "components_blocks_heroes" where "id" in (+?, +?);
--   number, number
delete from "files_related_mph" where "related_id" in (+?, +?) and "related_type" = +?;
--   number, number, text
delete from "galley_pending_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
delete from "galley_draft_links" where "source_id" in (+?, +?) and "source_type" = +?;
--   number, number, text
delete from "galley_draft_links" where "target_id" in (+?, +?) and "target_type" = +?;
--   number, number, text
delete from "galley_draft_links" where "author_id" in (+?, +?) and "author_type" = +?;
--   number, number, text
delete from "articles_author_lnk" where "article_id" in (+?, +?);
--   number, number
delete from "articles_tags_lnk" where "article_id" in (+?, +?);
--   number, number
delete from "articles_related_lnk" where "article_id" in (+?, +?);
--   number, number
delete from "articles_related_lnk" where "inv_article_id" in (+?, +?);
--   number, number
update "events" set "target_id" = +?, "target_type" = +? where "target_id" in (+?, +?) and "target_type" = +?;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in (+?, +?) and "mentions_type" = +?;
--   number, number, text
delete from "homepages_picks_lnk" where "article_id" in (+?, +?);
--   number, number
delete from "components_shared_links_target_lnk" where "article_id" in (+?, +?);
--   number, number
delete from "articles" where "id" in (+?, +?);
--   number, number
delete from "galley_pending_links" where "target_type" = +? and "target_document_id" = +? and "target_locale" = +?;
--   text, text, text

-- # a clone
-- CLONE <it>
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
insert into "articles" ("document_id", "created_at", "updated_at", "published_at", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "locale", "created_by_id", "updated_by_id") select +? as "document_id", +? as "created_at", +? as "updated_at", +? as "published_at", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "locale", "created_by_id", "updated_by_id" from "articles" where "id" = +? returning "id";
--   text, number, number, null, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" = +? and +exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" = +? and +exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" = +? and +exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, text, text, number, text, text, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = +? and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, text, text
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in (+?, +?) and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" = +? and +exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" = +? and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" = +? and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number
insert into "components_shared_seos" ("meta_title", "meta_description") select "meta_title", "meta_description" from "components_shared_seos" where "id" = +? returning "id";
--   number
insert into "components_shared_links" ("label", "url") select "label", "url" from "components_shared_links" where "id" = +? returning "id";
--   number
insert into "components_shared_links" ("label", "url") select "label", "url" from "components_shared_links" where "id" = +? returning "id";
--   number
insert into "components_shared_links" ("label", "url") select "label", "url" from "components_shared_links" where "id" = +? returning "id";
--   number
insert into "components_blocks_quotes" ("text") select "text" from "components_blocks_quotes" where "id" = +? returning "id";
--   number
insert into "components_blocks_heroes" ("title") select "title" from "components_blocks_heroes" where "id" = +? returning "id";
--   number
insert into "articles_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?);
--   number, number, text, text, null, number, number, text, text, number, number, number, text, text, number, number, number, text, text, number, number, number, text, text, number
insert into "components_blocks_heroes_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
delete from "galley_pending_links" where "source_type" = +? and "source_id" in (+?, +?, +?, +?);
--   text, number, number, number, number
select "source_id", "attribute", "target_type", "target_document_id", "target_locale", "link_order", "inverse_order" from "galley_pending_links" where "source_type" = +? and "source_id" in (+?, +?, +?, +?);
--   text, number, number, number, number
delete from "galley_pending_links" where "source_type" = +? and "source_id" = +?;
--   text, number
select "source_id", "attribute", "target_type", "target_document_id", "target_locale", "link_order", "inverse_order" from "galley_pending_links" where "source_type" = +? and "source_id" = +?;
--   text, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
select given."n", null, (select max("article_ord") from "articles_author_lnk" where "author_id" = given."to") from (select value ->> 0 as "n", value ->> 1 as "to", value ->> 2 as "like_to", value ->> 3 as "like_order" from json_each(+?)) given;
--   list of 1
insert into "articles_author_lnk" ("article_id", "author_id", "article_ord") values (+?, +?, +?);
--   number, number, number
select given."n", null, (select max("article_ord") from "articles_tags_lnk" where "tag_id" = given."to") from (select value ->> 0 as "n", value ->> 1 as "to", value ->> 2 as "like_to", value ->> 3 as "like_order" from json_each(+?)) given;
--   list of 3
insert into "articles_tags_lnk" ("article_id", "tag_id", "tag_ord", "article_ord") values (+?, +?, +?, +?), (+?, +?, +?, +?), (+?, +?, +?, +?);
--   number, number, number, number, number, number, number, number, number, number, number, number
insert into "articles_related_lnk" ("article_id", "inv_article_id", "article_ord") values (+?, +?, +?), (+?, +?, +?);
--   number, number, number, number, number, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
insert into "components_shared_links_target_lnk" ("link_id", "article_id") values (+?, +?);
--   number, number
insert into "components_blocks_quotes_by_lnk" ("quote_id", "author_id") values (+?, +?);
--   number, number
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text

-- # a batch of three operations
-- POST /api/articles/actions/batch {"operations":[{"action":"create","status":"draft","data":{"title":"One"}},{"action":"update","documentId":"<it>","status":"draft","data":{"title":"Two"}},{"action":"publish","documentId":"<it>"}]}
insert into "articles" ("document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values (+?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?, +?);
--   text, text, null, null, null, number, null, null, null, number, null, null, null, null, null, null, null, null, number, number, null, text
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
update "articles" set "title" = +?, "updated_at" = +? where "id" = +?;
--   text, number, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = +? order by "id";
--   text
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = +? and "source_type" = +?) or ("target_id" = +? and "target_type" = +?) or ("author_id" = +? and "author_type" = +?);
--   number, text, number, text, number, text
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" = +? and +exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" = +? and +exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" = +? and +exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, text, text, number, text, text, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = +? and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "title", "slug", "body", "blocks", "views", case typeof("big") when 'integer' then cast("big" as text) else "big" end, "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = +?;
--   number
select "id", "source_type", "source_id", "attribute", "link_order", "inverse_order" from "galley_pending_links" where "target_type" = +? and "target_document_id" = +? and "target_locale" = +? order by "id";
--   text, text, text
select "id", "file_id", "related_id", "order", 0, "related_type", "field", 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 1 from "articles_related_lnk" where "inv_article_id" = +? and +exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."article_id") union all select "id", "id", "target_id", 0, 0, "target_type", '', 2 from "events" where "target_id" = +? and "target_type" = +? union all select "id", "event_id", "mentions_id", "order", 0, "mentions_type", "field", 3 from "events_mentions_mph" where "mentions_id" = +? and "mentions_type" = +? and +exists (select 1 from "events" led where led."id" = "events_mentions_mph"."event_id") union all select "id", "homepage_id", "article_id", "article_ord", 0, '', '', 4 from "homepages_picks_lnk" where "article_id" = +? and +exists (select 1 from "homepages" led where led."id" = "homepages_picks_lnk"."homepage_id") union all select "id", "link_id", "article_id", 0, 0, '', '', 5 from "components_shared_links_target_lnk" where "article_id" = +? and +exists (select 1 from "components_shared_links" led where led."id" = "components_shared_links_target_lnk"."link_id");
--   number, text, number, number, text, number, text, number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, text, text
select "id", "meta_title", "meta_description" from "components_shared_seos" where "id" = +?;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in (+?, +?) and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select "id", "label", "url" from "components_shared_links" where "id" in (+?, +?);
--   number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" = +? and +exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number
select "id", "text" from "components_blocks_quotes" where "id" = +?;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = +? and "related_type" = +? and "field" = +? and +exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" = +? and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "title" from "components_blocks_heroes" where "id" = +?;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" = +? and +exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number
select "id", "label", "url" from "components_shared_links" where "id" = +?;
--   number
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select value ->> 0 as "v" from json_each(+?)) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select value ->> 0 as "v" from json_each(+?)) given);
--   list of 2
insert into "articles" ("published_at", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "created_by_id", "locale", "updated_at", "updated_by_id") select +? as "published_at", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "created_by_id", "locale", "updated_at", "updated_by_id" from "articles" where "id" = +? returning "id";
--   number, number
insert into "components_shared_seos" ("meta_title", "meta_description") select "meta_title", "meta_description" from "components_shared_seos" where "id" = +? returning "id";
--   number
insert into "components_shared_links" ("label", "url") select "label", "url" from "components_shared_links" where "id" = +? returning "id";
--   number
insert into "components_shared_links" ("label", "url") select "label", "url" from "components_shared_links" where "id" = +? returning "id";
--   number
insert into "components_shared_links" ("label", "url") select "label", "url" from "components_shared_links" where "id" = +? returning "id";
--   number
insert into "components_blocks_quotes" ("text") select "text" from "components_blocks_quotes" where "id" = +? returning "id";
--   number
insert into "components_blocks_heroes" ("title") select "title" from "components_blocks_heroes" where "id" = +? returning "id";
--   number
insert into "articles_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?), (+?, +?, +?, +?, +?);
--   number, number, text, text, null, number, number, text, text, number, number, number, text, text, number, number, number, text, text, number, number, number, text, text, number
insert into "components_blocks_heroes_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
select given."n", (select coalesce(l."article_ord", 0) from "articles_author_lnk" f cross join "articles" own cross join "articles" other cross join "articles_author_lnk" l where f."author_id" = given."like_to" and f."article_ord" > given."like_order" and own."id" = f."article_id" and other."document_id" = own."document_id" and other."id" <> own."id" and other."locale" is own."locale" and other."published_at" is not null and l."article_id" = other."id" and l."author_id" = given."to" order by f."article_ord", f."id", l."article_ord" desc, l."id" desc limit 1), (select max("article_ord") from "articles_author_lnk" where "author_id" = given."to") from (select value ->> 0 as "n", value ->> 1 as "to", value ->> 2 as "like_to", value ->> 3 as "like_order" from json_each(+?)) given;
--   list of 1
insert into "articles_author_lnk" ("article_id", "author_id", "article_ord") values (+?, +?, +?);
--   number, number, number
select given."n", (select coalesce(l."article_ord", 0) from "articles_tags_lnk" f cross join "articles" own cross join "articles" other cross join "articles_tags_lnk" l where f."tag_id" = given."like_to" and f."article_ord" > given."like_order" and own."id" = f."article_id" and other."document_id" = own."document_id" and other."id" <> own."id" and other."locale" is own."locale" and other."published_at" is not null and l."article_id" = other."id" and l."tag_id" = given."to" order by f."article_ord", f."id", l."article_ord" desc, l."id" desc limit 1), (select max("article_ord") from "articles_tags_lnk" where "tag_id" = given."to") from (select value ->> 0 as "n", value ->> 1 as "to", value ->> 2 as "like_to", value ->> 3 as "like_order" from json_each(+?)) given;
--   list of 3
insert into "articles_tags_lnk" ("article_id", "tag_id", "tag_ord", "article_ord") values (+?, +?, +?, +?), (+?, +?, +?, +?), (+?, +?, +?, +?);
--   number, number, number, number, number, number, number, number, number, number, number, number
insert into "articles_related_lnk" ("article_id", "inv_article_id", "article_ord") values (+?, +?, +?), (+?, +?, +?);
--   number, number, number, number, number, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values (+?, +?, +?, +?, +?);
--   number, number, text, text, number
insert into "components_shared_links_target_lnk" ("link_id", "article_id") values (+?, +?);
--   number, number
insert into "components_blocks_quotes_by_lnk" ("quote_id", "author_id") values (+?, +?);
--   number, number
select "id", "file_id", "related_id", "order", 0, "related_type", "field" from "files_related_mph" where "file_id" = +? and case "related_type" when 'admin::user' then exists (select 1 from "admin_users" led where led."id" = "files_related_mph"."related_id") when 'admin::role' then exists (select 1 from "admin_roles" led where led."id" = "files_related_mph"."related_id") when 'admin::permission' then exists (select 1 from "admin_permissions" led where led."id" = "files_related_mph"."related_id") when 'plugin::upload.folder' then exists (select 1 from "upload_folders" led where led."id" = "files_related_mph"."related_id") when 'plugin::upload.file' then exists (select 1 from "files" led where led."id" = "files_related_mph"."related_id") when 'plugin::i18n.locale' then exists (select 1 from "i18n_locale" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.role' then exists (select 1 from "up_roles" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.permission' then exists (select 1 from "up_permissions" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.user' then exists (select 1 from "up_users" led where led."id" = "files_related_mph"."related_id") when 'admin::api-token' then exists (select 1 from "strapi_api_tokens" led where led."id" = "files_related_mph"."related_id") when 'admin::api-token-permission' then exists (select 1 from "strapi_api_token_permissions" led where led."id" = "files_related_mph"."related_id") when 'api::article.article' then exists (select 1 from "articles" led where led."id" = "files_related_mph"."related_id") when 'api::author.author' then exists (select 1 from "authors" led where led."id" = "files_related_mph"."related_id") when 'api::country.country' then exists (select 1 from "countries" led where led."id" = "files_related_mph"."related_id") when 'api::event.event' then exists (select 1 from "events" led where led."id" = "files_related_mph"."related_id") when 'api::homepage.homepage' then exists (select 1 from "homepages" led where led."id" = "files_related_mph"."related_id") when 'api::profile.profile' then exists (select 1 from "profiles" led where led."id" = "files_related_mph"."related_id") when 'api::setting.setting' then exists (select 1 from "settings" led where led."id" = "files_related_mph"."related_id") when 'api::tag.tag' then exists (select 1 from "tags" led where led."id" = "files_related_mph"."related_id") else 1 = 0 end order by "order", "id";
--   number
delete from "galley_draft_links" where "author_type" = +? and "author_id" = +?;
--   text, number
select json_object('id', t0."id", 'documentId', t0."document_id"), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and likely(t0."locale" = +?) order by t0."id" limit 1;
--   text, text
