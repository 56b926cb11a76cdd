-- a list counts and builds its page apart
-- fields=title
select (select coalesce(json_agg(json_build_object('id', t1."id", 'documentId', t1."document_id", 'title', t1."title")), '[]'::json) from (select t0."id", t0."document_id", t0."title" from "articles" t0 where t0."published_at" is not null and t0."locale" = $1::text order by t0."id" limit $2::bigint offset $3::bigint) t1), (select count(*) from "articles" t0 where t0."published_at" is not null and t0."locale" = $4::text);

-- a list without a count
-- fields=title&pagination[withCount]=false&pagination[limit]=1
select (select coalesce(json_agg(json_build_object('id', t1."id", 'documentId', t1."document_id", 'title', t1."title")), '[]'::json) from (select t0."id", t0."document_id", t0."title" from "articles" t0 where t0."published_at" is not null and t0."locale" = $1::text order by t0."id" limit $2::bigint offset $3::bigint) t1);

-- all locales need no test of them
-- fields=title&locale=*
select (select coalesce(json_agg(json_build_object('id', t1."id", 'documentId', t1."document_id", 'title', t1."title")), '[]'::json) from (select t0."id", t0."document_id", t0."title" from "articles" t0 where t0."published_at" is not null order by t0."id" limit $1::bigint offset $2::bigint) t1), (select count(*) from "articles" t0 where t0."published_at" is not null);

-- one document
-- fields=title,meta,big,at
select json_build_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title", 'meta', t0."meta", 'big', t0."big"::text, 'at', to_char(t0."at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;

-- a to-one within a to-one
-- fields=title&populate[author][fields]=name&populate[author][populate][country][fields]=code
select json_build_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title", 'author', (select json_build_object('id', t1."id", 'documentId', t1."document_id", 'name', t1."name", 'country', (select json_build_object('id', t3."id", 'documentId', t3."document_id", 'code', t3."code") from "authors_country_lnk" t4 join "countries" t3 on t3."id" = t4."country_id" where t4."author_id" = t1."id" order by t4."id" limit 1)) from "articles_author_lnk" t2 join "authors" t1 on t1."id" = t2."author_id" where t2."article_id" = t0."id" order by t2."id" limit 1)), (select max(t5."updated_at") from "articles" t5 where t5."document_id" = t0."document_id" and t5."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;

-- a to-many in connection order
-- fields=title&populate[tags][fields]=name
select json_build_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title", 'tags', (select coalesce(json_agg(json_build_object('id', t1."id", 'documentId', t1."document_id", 'name', t1."name") order by t2."tag_ord", t2."id"), '[]'::json) from "articles_tags_lnk" t2 join "tags" t1 on t1."id" = t2."tag_id" where t2."article_id" = t0."id" and t1."published_at" is not null)), (select max(t3."updated_at") from "articles" t3 where t3."document_id" = t0."document_id" and t3."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;

-- a count of related rows
-- fields=title&populate[tags][count]=true
select json_build_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title", 'tags', json_build_object('count', (select count(*) from "articles_tags_lnk" t2 join "tags" t1 on t1."id" = t2."tag_id" where t2."article_id" = t0."id" and t1."published_at" is not null))), (select max(t3."updated_at") from "articles" t3 where t3."document_id" = t0."document_id" and t3."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;

-- the other locales
-- fields=title&populate[localizations][fields]=title
select json_build_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title", 'localizations', (select coalesce(json_agg(json_build_object('id', t1."id", 'documentId', t1."document_id", 'title', t1."title") order by t1."locale"), '[]'::json) from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" <> t0."locale" and t1."published_at" is not null)), (select max(t2."updated_at") from "articles" t2 where t2."document_id" = t0."document_id" and t2."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;

-- a zone chooses by its component
-- fields=title&populate[zone][on][blocks.quote][fields]=text
select json_build_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title", 'zone', (select coalesce(json_agg(case t1."component_type" when 'blocks.quote' then (select json_build_object('id', t3."id", 'text', t3."text", '__component', 'blocks.quote') from "components_blocks_quotes" t3 where t3."id" = t1."cmp_id") end order by t1."order", t1."id"), '[]'::json) from "articles_cmps" t1 where t1."entity_id" = t0."id" and t1."field" = 'zone' and case t1."component_type" when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" t2 where t2."id" = t1."cmp_id") else 1 = 0 end)), (select max(t4."updated_at") from "articles" t4 where t4."document_id" = t0."document_id" and t4."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;

-- a file
-- fields=title&populate[cover][fields]=url
select json_build_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title", 'cover', (select json_build_object('id', t1."id", 'documentId', t1."document_id", 'url', t1."url") from "files_related_mph" t2 join "files" t1 on t1."id" = t2."file_id" where t2."related_id" = t0."id" and t2."related_type" = 'api::article.article' and t2."field" = 'cover' order by t2."order", t2."id" limit 1)), (select max(t3."updated_at") from "articles" t3 where t3."document_id" = t0."document_id" and t3."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;

-- a negation reaches the test within
-- fields=title&filters[$not][tags][name]=red
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = $1::text and t0."id" in (select t2."article_id" from "articles_tags_lnk" t2 join "tags" t1 on t1."id" = t2."tag_id" where t1."published_at" is not null and not (t1."name" = $2::text))) select (select coalesce(json_agg(json_build_object('id', t5."id", 'documentId', t5."document_id", 'title', t5."title")), '[]'::json) from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t3 order by t3."id" limit $3::bigint offset $4::bigint) t4 join "articles" t0 on t0."id" = t4."id" order by t4."id") t5), (select count(*) from galley_found);

-- a null within a relation holds without the relation
-- fields=title&filters[author][name][$null]=true
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = $1::text and (exists (select 1 from "articles_author_lnk" t2 join "authors" t1 on t1."id" = t2."author_id" where t2."article_id" = t0."id" and t1."name" is null limit 1 offset 0) or not exists (select 1 from "articles_author_lnk" t4 join "authors" t3 on t3."id" = t4."author_id" where t4."article_id" = t0."id" limit 1 offset 0))) select (select coalesce(json_agg(json_build_object('id', t7."id", 'documentId', t7."document_id", 'title', t7."title")), '[]'::json) from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t5 order by t5."id" limit $2::bigint offset $3::bigint) t6 join "articles" t0 on t0."id" = t6."id" order by t6."id") t7), (select count(*) from galley_found);

-- no related row at all
-- fields=title&filters[tags][$null]=true
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = $1::text and not exists (select 1 from "articles_tags_lnk" t2 join "tags" t1 on t1."id" = t2."tag_id" where t2."article_id" = t0."id" and t1."published_at" is not null)) select (select coalesce(json_agg(json_build_object('id', t5."id", 'documentId', t5."document_id", 'title', t5."title")), '[]'::json) from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t3 order by t3."id" limit $2::bigint offset $3::bigint) t4 join "articles" t0 on t0."id" = t4."id" order by t4."id") t5), (select count(*) from galley_found);

-- folded and ordered text
-- fields=title&filters[title][$containsi]=ALPH&filters[title][$lt]=B
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = $1::text and (position($2::text in translate(lower(t0."title"), 'ς', 'σ')) > 0 and t0."title" collate "C" < $3::text)) select (select coalesce(json_agg(json_build_object('id', t3."id", 'documentId', t3."document_id", 'title', t3."title")), '[]'::json) from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t1 order by t1."id" limit $4::bigint offset $5::bigint) t2 join "articles" t0 on t0."id" = t2."id" order by t2."id") t3), (select count(*) from galley_found);

-- a sort through a to-many
-- fields=title&sort=tags.weight:desc&filters[tags][$notNull]=true
with galley_found as materialized (select t0."id" as "id", (select t3."weight" from "articles_tags_lnk" t4 join "tags" t3 on t3."id" = t4."tag_id" where t4."article_id" = t0."id" and t3."published_at" is not null order by t3."weight" desc limit 1) as k0 from "articles" t0 where t0."published_at" is not null and t0."locale" = $1::text and t0."id" in (select t2."article_id" from "articles_tags_lnk" t2 join "tags" t1 on t1."id" = t2."tag_id" where t1."published_at" is not null and t1."id" is not null)) select (select coalesce(json_agg(json_build_object('id', t7."id", 'documentId', t7."document_id", 'title', t7."title")), '[]'::json) from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t5 order by t5."k0" desc, t5."id" limit $2::bigint offset $3::bigint) t6 join "articles" t0 on t0."id" = t6."id" order by t6."k0" desc, t6."id") t7), (select count(*) from galley_found);

-- a search
-- fields=title&_q=30
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = $1::text and ((position($2::text in translate(lower(t0."title"), 'ς', 'σ')) > 0 or position($3::text in translate(lower(t0."slug"), 'ς', 'σ')) > 0 or position($4::text in translate(lower(t0."body"), 'ς', 'σ')) > 0 or position($5::text in translate(lower(t0."views"::text), 'ς', 'σ')) > 0 or position($6::text in translate(lower(t0."big"::text), 'ς', 'σ')) > 0) or (position($7::text in translate(lower(t0."rating"::text), 'ς', 'σ')) > 0 or position($8::text in translate(lower(t0."price"::text), 'ς', 'σ')) > 0 or position($9::text in translate(lower(t0."kind"), 'ς', 'σ')) > 0 or position($10::text in translate(lower(t0."contact"), 'ς', 'σ')) > 0))) select (select coalesce(json_agg(json_build_object('id', t3."id", 'documentId', t3."document_id", 'title', t3."title")), '[]'::json) from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t1 order by t1."id" limit $11::bigint offset $12::bigint) t2 join "articles" t0 on t0."id" = t2."id" order by t2."id") t3), (select count(*) from galley_found);

-- a cohort of drafts
-- fields=title&status=draft&publicationFilter=unmodified
select (select coalesce(json_agg(json_build_object('id', t2."id", 'documentId', t2."document_id", 'title', t2."title")), '[]'::json) from (select t0."id", t0."document_id", t0."title" from "articles" t0 where t0."published_at" is null and exists (select 1 from "articles" t1 where t1."document_id" = t0."document_id" and t1."published_at" is not null and t1."locale" = t0."locale" and t0."updated_at" <= t1."updated_at") and t0."locale" = $1::text order by t0."id" limit $2::bigint offset $3::bigint) t2), (select count(*) from "articles" t0 where t0."published_at" is null and exists (select 1 from "articles" t1 where t1."document_id" = t0."document_id" and t1."published_at" is not null and t1."locale" = t0."locale" and t0."updated_at" <= t1."updated_at") and t0."locale" = $4::text);
