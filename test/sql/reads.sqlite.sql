-- a list counts and builds its page apart
-- fields=title
select (select concat('[', group_concat(json_object('id', t1."id", 'documentId', t1."document_id", 'title', t1."title"), ','), ']') from (select t0."id", t0."document_id", t0."title" from "articles" t0 where t0."published_at" is not null and t0."locale" = +? order by t0."id" limit +? offset +?) t1), (select count(*) from "articles" t0 where t0."published_at" is not null and t0."locale" = +?);

-- a list without a count
-- fields=title&pagination[withCount]=false&pagination[limit]=1
select (select concat('[', group_concat(json_object('id', t1."id", 'documentId', t1."document_id", 'title', t1."title"), ','), ']') from (select t0."id", t0."document_id", t0."title" from "articles" t0 where t0."published_at" is not null and t0."locale" = +? order by t0."id" limit +? offset +?) t1);

-- all locales need no test of them
-- fields=title&locale=*
select (select concat('[', group_concat(json_object('id', t1."id", 'documentId', t1."document_id", 'title', t1."title"), ','), ']') from (select t0."id", t0."document_id", t0."title" from "articles" t0 where t0."published_at" is not null order by t0."id" limit +? offset +?) t1), (select count(*) from "articles" t0 where t0."published_at" is not null);

-- one document
-- fields=title,meta,big,at
select json_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title", 'meta', case when json_valid(t0."meta") then json(t0."meta") else t0."meta" end, 'big', cast(t0."big" as text), 'at', replace(datetime(t0."at" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z'), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and t0."locale" = +? order by t0."id" limit 1;

-- a to-one within a to-one
-- fields=title&populate[author][fields]=name&populate[author][populate][country][fields]=code
select concat(rtrim(json_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title"), '}'), ',"author":', coalesce((select concat(rtrim(json_object('id', t1."id", 'documentId', t1."document_id", 'name', t1."name"), '}'), ',"country":', coalesce((select json_object('id', t3."id", 'documentId', t3."document_id", 'code', t3."code") from "authors_country_lnk" t4 join "countries" t3 on t3."id" = t4."country_id" where t4."author_id" = t1."id" order by t4."id" limit 1), 'null'), '}') from "articles_author_lnk" t2 join "authors" t1 on t1."id" = t2."author_id" where t2."article_id" = t0."id" order by t2."id" limit 1), 'null'), '}'), (select max(t5."updated_at") from "articles" t5 where t5."document_id" = t0."document_id" and t5."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and t0."locale" = +? order by t0."id" limit 1;

-- a to-many in connection order
-- fields=title&populate[tags][fields]=name
select concat(rtrim(json_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title"), '}'), ',"tags":', (select concat('[', group_concat(t3."v", ','), ']') from (select json_object('id', t1."id", 'documentId', t1."document_id", 'name', t1."name") as "v" from "articles_tags_lnk" t2 join "tags" t1 on t1."id" = t2."tag_id" where t2."article_id" = t0."id" and t1."published_at" is not null order by t2."tag_ord", t2."id") t3), '}'), (select max(t4."updated_at") from "articles" t4 where t4."document_id" = t0."document_id" and t4."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and t0."locale" = +? order by t0."id" limit 1;

-- a count of related rows
-- fields=title&populate[tags][count]=true
select concat(rtrim(json_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title"), '}'), ',"tags":', concat('{', '"count":', cast((select count(*) from "articles_tags_lnk" t2 join "tags" t1 on t1."id" = t2."tag_id" where t2."article_id" = t0."id" and t1."published_at" is not null) as text), '}'), '}'), (select max(t3."updated_at") from "articles" t3 where t3."document_id" = t0."document_id" and t3."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and t0."locale" = +? order by t0."id" limit 1;

-- the other locales
-- fields=title&populate[localizations][fields]=title
select concat(rtrim(json_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title"), '}'), ',"localizations":', (select concat('[', group_concat(t2."v", ','), ']') from (select json_object('id', t1."id", 'documentId', t1."document_id", 'title', t1."title") as "v" from "articles" t1 where t1."document_id" = t0."document_id" and t1."published_at" is not null and t1."locale" <> t0."locale" order by t1."locale") t2), '}'), (select max(t3."updated_at") from "articles" t3 where t3."document_id" = t0."document_id" and t3."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and t0."locale" = +? order by t0."id" limit 1;

-- a zone chooses by its component
-- fields=title&populate[zone][on][blocks.quote][fields]=text
select concat(rtrim(json_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title"), '}'), ',"zone":', (select concat('[', group_concat(t3."v", ','), ']') from (select case t1."component_type" when 'blocks.quote' then (select json_object('id', t2."id", 'text', t2."text", '__component', 'blocks.quote') from "components_blocks_quotes" t2 where t2."id" = t1."cmp_id") end as "v" from "articles_cmps" t1 where t1."entity_id" = t0."id" and t1."field" = 'zone' order by t1."order", t1."id") t3), '}'), (select max(t4."updated_at") from "articles" t4 where t4."document_id" = t0."document_id" and t4."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and t0."locale" = +? order by t0."id" limit 1;

-- a file
-- fields=title&populate[cover][fields]=url
select concat(rtrim(json_object('id', t0."id", 'documentId', t0."document_id", 'title', t0."title"), '}'), ',"cover":', coalesce((select json_object('id', t1."id", 'documentId', t1."document_id", 'url', t1."url") from "files_related_mph" t2 join "files" t1 on t1."id" = t2."file_id" where t2."related_id" = t0."id" and t2."related_type" = 'api::article.article' and t2."field" = 'cover' order by t2."order", t2."id" limit 1), 'null'), '}'), (select max(t3."updated_at") from "articles" t3 where t3."document_id" = t0."document_id" and t3."locale" is t0."locale") from "articles" t0 where t0."document_id" = +? and t0."published_at" is not null and t0."locale" = +? order by t0."id" limit 1;

-- a negation of a to-many is an anti-join
-- fields=title&filters[$not][tags][name]=red
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = +? and not exists (select t2."article_id" from "articles_tags_lnk" t2 where t2."article_id" = t0."id" and t2."tag_id" in (select t1."id" from "tags" t1 where t1."published_at" is not null and (t1."name" = +?) is not false))) select (select concat('[', group_concat(json_object('id', t5."id", 'documentId', t5."document_id", 'title', t5."title"), ','), ']') from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t3 order by t3."id" limit +? offset +?) t4 join "articles" t0 on t0."id" = t4."id" order by t4."id") t5), (select count(*) from galley_found);

-- a negation within a negation is not correlated
-- fields=title&filters[$not][tags][$not][articles][title]=Beta
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = +? and not exists (select t2."article_id" from "articles_tags_lnk" t2 where t2."article_id" = t0."id" and t2."tag_id" in (select t1."id" from "tags" t1 where t1."published_at" is not null and (t1."id" in (select t4."tag_id" from "articles_tags_lnk" t4 where t4."article_id" in (select t3."id" from "articles" t3 where t3."published_at" is not null and t3."title" = +?))) is not true))) select (select concat('[', group_concat(json_object('id', t7."id", 'documentId', t7."document_id", 'title', t7."title"), ','), ']') from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t5 order by t5."id" limit +? offset +?) t6 join "articles" t0 on t0."id" = t6."id" order by t6."id") t7), (select count(*) from galley_found);

-- a negation of a to-one reaches the test within
-- fields=title&filters[$not][author][name]=Ann
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = +? and t0."id" in (select t2."article_id" from "articles_author_lnk" t2 where t2."author_id" in (select t1."id" from "authors" t1 where not (t1."name" = +?)))) select (select concat('[', group_concat(json_object('id', t5."id", 'documentId', t5."document_id", 'title', t5."title"), ','), ']') from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t3 order by t3."id" limit +? offset +?) t4 join "articles" t0 on t0."id" = t4."id" order by t4."id") t5), (select count(*) from galley_found);

-- a filter through every locale version
-- fields=title&filters[localizations][title]=Beta
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = +? and t0."document_id" in (select t1."document_id" from "articles" t1 where t1."published_at" is not null and t1."title" = +?)) select (select concat('[', group_concat(json_object('id', t4."id", 'documentId', t4."document_id", 'title', t4."title"), ','), ']') from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t2 order by t2."id" limit +? offset +?) t3 join "articles" t0 on t0."id" = t3."id" order by t3."id") t4), (select count(*) from galley_found);

-- a null within a relation holds without the relation
-- fields=title&filters[author][name][$null]=true
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = +? and (t0."id" in (select t2."article_id" from "articles_author_lnk" t2 where t2."author_id" in (select t1."id" from "authors" t1 where t1."name" is null)) or not exists (select 1 from "articles_author_lnk" t4 join "authors" t3 on t3."id" = t4."author_id" where t4."article_id" = t0."id" limit 1 offset 0))) select (select concat('[', group_concat(json_object('id', t7."id", 'documentId', t7."document_id", 'title', t7."title"), ','), ']') from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t5 order by t5."id" limit +? offset +?) t6 join "articles" t0 on t0."id" = t6."id" order by t6."id") t7), (select count(*) from galley_found);

-- no related row at all
-- fields=title&filters[tags][$null]=true
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = +? and not exists (select 1 from "articles_tags_lnk" t2 join "tags" t1 on t1."id" = t2."tag_id" where t2."article_id" = t0."id" and t1."published_at" is not null)) select (select concat('[', group_concat(json_object('id', t5."id", 'documentId', t5."document_id", 'title', t5."title"), ','), ']') from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t3 order by t3."id" limit +? offset +?) t4 join "articles" t0 on t0."id" = t4."id" order by t4."id") t5), (select count(*) from galley_found);

-- folded and ordered text
-- fields=title&filters[title][$containsi]=ALPH&filters[title][$lt]=B
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = +? and (instr(galley_fold(t0."title"), +?) > 0 and t0."title" < +?)) select (select concat('[', group_concat(json_object('id', t3."id", 'documentId', t3."document_id", 'title', t3."title"), ','), ']') from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t1 order by t1."id" limit +? offset +?) t2 join "articles" t0 on t0."id" = t2."id" order by t2."id") t3), (select count(*) from galley_found);

-- a sort through a to-many
-- fields=title&sort=tags.weight:desc&filters[tags][$notNull]=true
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = +? and t0."id" in (select t2."article_id" from "articles_tags_lnk" t2 where t2."tag_id" in (select t1."id" from "tags" t1 where t1."published_at" is not null and t1."id" is not null))), galley_common1 as materialized (select t3."id" as "id", case when t3."weight" is not null then dense_rank() over (order by t3."weight") end as "v" from "tags" t3 where t3."published_at" is not null), galley_common2 as materialized (select t6."article_id" as "id", max(t7."v") as "v" from "articles_tags_lnk" t6 join galley_common1 t7 on t7."id" = t6."tag_id" where t6."article_id" in (select "id" from galley_found) group by t6."article_id") select (select concat('[', group_concat(json_object('id', t12."id", 'documentId', t12."document_id", 'title', t12."title"), ','), ']') from (select t0."id", t0."document_id", t0."title" from (select * from (select t0."id" as "id", t8."v" as k0 from galley_found t9 join "articles" t0 on t0."id" = t9."id" left join galley_common2 t8 on t8."id" = t0."id") t10 order by t10."k0" desc, t10."id" limit +? offset +?) t11 join "articles" t0 on t0."id" = t11."id" order by t11."k0" desc, t11."id") t12), (select count(*) from galley_found);

-- a search
-- fields=title&_q=30
with galley_found as materialized (select t0."id" as "id" from "articles" t0 where t0."published_at" is not null and t0."locale" = +? and ((instr(galley_fold(t0."title"), +?) > 0 or instr(galley_fold(t0."slug"), +?) > 0 or instr(galley_fold(t0."body"), +?) > 0 or instr(galley_fold(cast(t0."views" as text)), +?) > 0 or instr(galley_fold(cast(t0."big" as text)), +?) > 0) or (instr(galley_fold(cast(t0."rating" as text)), +?) > 0 or instr(galley_fold(cast(t0."price" as text)), +?) > 0 or instr(galley_fold(t0."kind"), +?) > 0 or instr(galley_fold(t0."contact"), +?) > 0))) select (select concat('[', group_concat(json_object('id', t3."id", 'documentId', t3."document_id", 'title', t3."title"), ','), ']') from (select t0."id", t0."document_id", t0."title" from (select * from galley_found t1 order by t1."id" limit +? offset +?) t2 join "articles" t0 on t0."id" = t2."id" order by t2."id") t3), (select count(*) from galley_found);

-- a cohort of drafts
-- fields=title&status=draft&publicationFilter=unmodified
select (select concat('[', group_concat(json_object('id', t2."id", 'documentId', t2."document_id", 'title', t2."title"), ','), ']') from (select t0."id", t0."document_id", t0."title" from "articles" t0 where t0."published_at" is null and exists (select 1 from "articles" t1 where t1."document_id" = t0."document_id" and t1."published_at" is not null and t1."locale" = t0."locale" and t0."updated_at" <= t1."updated_at") and t0."locale" = +? order by t0."id" limit +? offset +?) t2), (select count(*) from "articles" t0 where t0."published_at" is null and exists (select 1 from "articles" t1 where t1."document_id" = t0."document_id" and t1."published_at" is not null and t1."locale" = t0."locale" and t0."updated_at" <= t1."updated_at") and t0."locale" = +?);
