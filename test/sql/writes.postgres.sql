-- # a type without drafts and locales
-- POST /api/countries {"name":"Italy","code":"IT"}
select n, nextval(ids) from (select n, (select s.ids from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum, lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id' and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids, (v ->> 1)::int amount from json_array_elements($1::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount);
--   list of 1
insert into "countries" ("id", "document_id", "name", "code", "created_at", "updated_at", "published_at", "locale") values ($1, $2, $3, $4, $5, $6, $7, $8);
--   number, text, text, text, text, text, text, text
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "countries" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "countries" t0 where t0."document_id" = $1::text and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a draft of scalars
-- POST /api/articles?status=draft {"title":"Plain","views":1}
select n, nextval(ids) from (select n, (select s.ids from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum, lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id' and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids, (v ->> 1)::int amount from json_array_elements($1::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount);
--   list of 1
insert into "articles" ("id", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23);
--   number, text, text, null, null, null, number, null, null, null, boolean, null, null, null, null, null, null, null, null, text, text, null, text
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a document of scalars, created published
-- POST /api/articles {"title":"Plain"}
select n, nextval(ids) from (select n, (select s.ids from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum, lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id' and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids, (v ->> 1)::int amount from json_array_elements($1::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount);
--   list of 1
insert into "articles" ("id", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23), ($24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46);
--   number, text, text, null, null, null, number, null, null, null, boolean, null, null, null, null, null, null, null, null, text, text, null, text, number, text, text, null, null, null, number, null, null, null, boolean, null, null, null, null, null, null, null, null, text, text, text, text
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a draft with links
-- POST /api/articles?status=draft {"title":"Linked","author":"<Ann>","tags":["<red>","<green>"]}
select "id", "document_id", "locale", "published_at", '', 0 from "authors" where "document_id" = $1 union all select "id", "document_id", "locale", "published_at", '', 1 from "tags" where "document_id" in ($2, $3);
--   text, text, text
select n, nextval(ids) from (select n, (select s.ids from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum, lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id' and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids, (v ->> 1)::int amount from json_array_elements($1::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount);
--   list of 1
insert into "articles" ("id", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23);
--   number, text, text, null, null, null, number, null, null, null, boolean, null, null, null, null, null, null, null, null, text, text, null, text
insert into "articles_author_lnk" ("article_id", "author_id", "article_ord") values ($1, $2, (select coalesce(max("article_ord"), 0) + 1 from "articles_author_lnk" where "author_id" = $3));
--   number, number, number
insert into "articles_tags_lnk" ("article_id", "tag_id", "tag_ord", "article_ord") select "article_id", "tag_id", "tag_ord", (select coalesce(max(there."article_ord"), 0) + 1 from "articles_tags_lnk" there where there."tag_id" = given."tag_id") from (select (v ->> 0)::bigint as "article_id", (v ->> 1)::bigint as "tag_id", (v ->> 2)::bigint as "tag_ord" from json_array_elements($1::json) v) given;
--   list of 2
insert into "galley_draft_links" ("source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id") select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from (select (v ->> 0)::text as "source_type", (v ->> 1)::text as "attribute", (v ->> 2)::bigint as "source_id", (v ->> 3)::text as "target_type", (v ->> 4)::bigint as "target_id", (v ->> 5)::text as "author_type", (v ->> 6)::bigint as "author_id" from json_array_elements($1::json) v) given;
--   list of 2
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a draft with files
-- POST /api/articles?status=draft {"title":"Seen","cover":"<file>","gallery":["<file>"]}
select "document_id" from "files" where "id" = $1;
--   number
select n, nextval(ids) from (select n, (select s.ids from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum, lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id' and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids, (v ->> 1)::int amount from json_array_elements($1::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount);
--   list of 1
select "id", "document_id", "locale", "published_at", "mime", 0 from "files" where "document_id" = $1;
--   text
insert into "articles" ("id", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23);
--   number, text, text, null, null, null, number, null, null, null, boolean, null, null, null, null, null, null, null, null, text, text, null, text
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a draft with components and a zone
-- POST /api/articles?status=draft {"title":"Composed","seo":{"metaTitle":"A title"},"links":[{"label":"one"},{"label":"two"}],"zone":[{"__component":"blocks.quote","text":"Said","by":"<Ann>"},{"__component":"blocks.hero","title":"Hero","buttons":[{"label":"go"}]}]}
select "id", "document_id", "locale", "published_at", '', 0 from "authors" where "document_id" = $1;
--   text
select n, nextval(ids) from (select n, (select s.ids from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum, lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id' and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids, (v ->> 1)::int amount from json_array_elements($1::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount);
--   list of 5
insert into "articles" ("id", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23);
--   number, text, text, null, null, null, number, null, null, null, boolean, null, null, null, null, null, null, null, null, text, text, null, text
insert into "components_shared_seos" ("id", "meta_title", "meta_description") values ($1, $2, $3);
--   number, text, null
insert into "components_shared_links" ("id", "label", "url") values ($1, $2, $3), ($4, $5, $6);
--   number, text, null, number, text, null
insert into "components_blocks_quotes" ("id", "text") values ($1, $2);
--   number, text
insert into "components_blocks_quotes_by_lnk" ("quote_id", "author_id") values ($1, $2);
--   number, number
insert into "components_blocks_heroes" ("id", "title") values ($1, $2);
--   number, text
insert into "components_shared_links" ("id", "label", "url") values ($1, $2, $3);
--   number, text, null
insert into "components_blocks_heroes_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
insert into "articles_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") select "entity_id", "cmp_id", "component_type", "field", "order" from (select (v ->> 0)::bigint as "entity_id", (v ->> 1)::bigint as "cmp_id", (v ->> 2)::text as "component_type", (v ->> 3)::text as "field", (v ->> 4)::bigint as "order" from json_array_elements($1::json) v) given;
--   list of 5
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a document of everything, created published
-- POST /api/articles {"title":"Rich","views":3,"author":"<Ann>","tags":["<red>","<green>","<blue>"],"related":["<Alpha>","<Beta>"],"cover":"<file>","seo":{"metaTitle":"A title","image":"<file>"},"links":[{"label":"one"},{"label":"two","target":"<Alpha>"}],"zone":[{"__component":"blocks.quote","text":"Said","by":"<Ann>"},{"__component":"blocks.hero","title":"Hero","buttons":[{"label":"go"}]}]}
select "document_id" from "files" where "id" = $1;
--   number
select n, nextval(ids) from (select n, (select s.ids from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum, lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id' and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids, (v ->> 1)::int amount from json_array_elements($1::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount);
--   list of 5
select "id", "document_id", "locale", "published_at", '', 0 from "authors" where "document_id" = $1 union all select "id", "document_id", "locale", "published_at", '', 1 from "tags" where "document_id" in ($2, $3, $4, $5) union all select "id", "document_id", "locale", "published_at", '', 2 from "articles" where "document_id" in ($6, $7) union all select "id", "document_id", "locale", "published_at", "mime", 3 from "files" where "document_id" = $8;
--   text, text, text, text, text, text, text, text
insert into "articles" ("id", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23), ($24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46);
--   number, text, text, null, null, null, number, null, null, null, boolean, null, null, null, null, null, null, null, null, text, text, null, text, number, text, text, null, null, null, number, null, null, null, boolean, null, null, null, null, null, null, null, null, text, text, text, text
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") select "related_id", "file_id", "related_type", "field", "order" from (select (v ->> 0)::bigint as "related_id", (v ->> 1)::bigint as "file_id", (v ->> 2)::text as "related_type", (v ->> 3)::text as "field", (v ->> 4)::bigint as "order" from json_array_elements($1::json) v) given;
--   list of 2
insert into "articles_author_lnk" ("article_id", "author_id", "article_ord") values ($1, $2, (select coalesce(max("article_ord"), 0) + 1 from "articles_author_lnk" where "author_id" = $3));
--   number, number, number
insert into "articles_author_lnk" ("article_id", "author_id", "article_ord") values ($1, $2, (select coalesce(max("article_ord"), 0) + 1 from "articles_author_lnk" where "author_id" = $3));
--   number, number, number
insert into "articles_tags_lnk" ("article_id", "tag_id", "tag_ord", "article_ord") select "article_id", "tag_id", "tag_ord", (select coalesce(max(there."article_ord"), 0) + 1 from "articles_tags_lnk" there where there."tag_id" = given."tag_id") from (select (v ->> 0)::bigint as "article_id", (v ->> 1)::bigint as "tag_id", (v ->> 2)::bigint as "tag_ord" from json_array_elements($1::json) v) given;
--   list of 6
insert into "articles_related_lnk" ("article_id", "inv_article_id", "article_ord") select "article_id", "inv_article_id", "article_ord" from (select (v ->> 0)::bigint as "article_id", (v ->> 1)::bigint as "inv_article_id", (v ->> 2)::bigint as "article_ord" from json_array_elements($1::json) v) given;
--   list of 4
insert into "components_shared_seos" ("id", "meta_title", "meta_description") values ($1, $2, $3), ($4, $5, $6);
--   number, text, null, number, text, null
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") select "related_id", "file_id", "related_type", "field", "order" from (select (v ->> 0)::bigint as "related_id", (v ->> 1)::bigint as "file_id", (v ->> 2)::text as "related_type", (v ->> 3)::text as "field", (v ->> 4)::bigint as "order" from json_array_elements($1::json) v) given;
--   list of 2
insert into "components_shared_links" ("id", "label", "url") values ($1, $2, $3), ($4, $5, $6), ($7, $8, $9), ($10, $11, $12);
--   number, text, null, number, text, null, number, text, null, number, text, null
insert into "components_shared_links_target_lnk" ("link_id", "article_id") select "link_id", "article_id" from (select (v ->> 0)::bigint as "link_id", (v ->> 1)::bigint as "article_id" from json_array_elements($1::json) v) given;
--   list of 2
insert into "components_blocks_quotes" ("id", "text") values ($1, $2), ($3, $4);
--   number, text, number, text
insert into "components_blocks_quotes_by_lnk" ("quote_id", "author_id") select "quote_id", "author_id" from (select (v ->> 0)::bigint as "quote_id", (v ->> 1)::bigint as "author_id" from json_array_elements($1::json) v) given;
--   list of 2
insert into "components_blocks_heroes" ("id", "title") values ($1, $2), ($3, $4);
--   number, text, number, text
insert into "components_shared_links" ("id", "label", "url") values ($1, $2, $3), ($4, $5, $6);
--   number, text, null, number, text, null
insert into "components_blocks_heroes_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") select "entity_id", "cmp_id", "component_type", "field", "order" from (select (v ->> 0)::bigint as "entity_id", (v ->> 1)::bigint as "cmp_id", (v ->> 2)::text as "component_type", (v ->> 3)::text as "field", (v ->> 4)::bigint as "order" from json_array_elements($1::json) v) given;
--   list of 2
insert into "articles_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") select "entity_id", "cmp_id", "component_type", "field", "order" from (select (v ->> 0)::bigint as "entity_id", (v ->> 1)::bigint as "cmp_id", (v ->> 2)::text as "component_type", (v ->> 3)::text as "field", (v ->> 4)::bigint as "order" from json_array_elements($1::json) v) given;
--   list of 10
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # scalars of a draft
-- PUT /api/articles/<it>?status=draft {"title":"b","views":2}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
update "articles" set "title" = $1, "views" = $2, "updated_at" = $3 where "id" = $4;
--   text, number, text, number
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a document connected to a draft at the end
-- PUT /api/articles/<it>?status=draft {"related":{"connect":["<Gamma>"]}}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select "id", "document_id", "locale", "published_at", '', 0 from "articles" where "document_id" = $1;
--   text
update "articles" set "updated_at" = $1 where "id" = $2;
--   text, number
select "id", "article_id", "inv_article_id", "article_ord", 0, '', '' from "articles_related_lnk" where "article_id" = $1 and exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id") order by "article_ord", "id";
--   number
insert into "articles_related_lnk" ("article_id", "inv_article_id", "article_ord") values ($1, $2, $3);
--   number, number, number
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a document connected before another
-- PUT /api/articles/<it>?status=draft {"tags":{"connect":[{"documentId":"<blue>","position":{"before":"<red>"}}]}}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select "id", "document_id", "locale", "published_at", '', 0 from "tags" where "document_id" in ($1, $2);
--   text, text
update "articles" set "updated_at" = $1 where "id" = $2;
--   text, number
select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '' from "articles_tags_lnk" where "article_id" = $1 and exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") order by "tag_ord", "id";
--   number
update "articles_tags_lnk" set "tag_ord" = given."tag_ord" from (select (v ->> 0)::bigint as "row", (v ->> 1)::double precision as "tag_ord" from json_array_elements($1::json) v) given where "articles_tags_lnk"."id" = given."row";
--   list of 3
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a document disconnected
-- PUT /api/articles/<it>?status=draft {"tags":{"disconnect":["<red>"]}}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select "id", "document_id", "locale", "published_at", '', 0 from "tags" where "document_id" = $1;
--   text
update "articles" set "updated_at" = $1 where "id" = $2;
--   text, number
select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '' from "articles_tags_lnk" where "article_id" = $1 and exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") order by "tag_ord", "id";
--   number
delete from "articles_tags_lnk" where "id" = $1;
--   number
update "articles_tags_lnk" set "tag_ord" = given."tag_ord" from (select (v ->> 0)::bigint as "row", (v ->> 1)::double precision as "tag_ord" from json_array_elements($1::json) v) given where "articles_tags_lnk"."id" = given."row";
--   list of 2
delete from "galley_draft_links" where "source_type" = $1 and "attribute" = $2 and "source_id" = $3 and "target_type" = $4 and "target_id" = $5;
--   text, text, number, text, number
insert into "galley_draft_links" ("source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id") values ($1, $2, $3, $4, $5, $6, $7);
--   text, text, number, text, number, text, number
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # links set in another order
-- PUT /api/articles/<it>?status=draft {"tags":["<blue>","<green>","<red>"]}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select "id", "document_id", "locale", "published_at", '', 0 from "tags" where "document_id" in ($1, $2, $3, $4);
--   text, text, text, text
update "articles" set "updated_at" = $1 where "id" = $2;
--   text, number
select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '' from "articles_tags_lnk" where "article_id" = $1 and exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") order by "tag_ord", "id";
--   number
update "articles_tags_lnk" set "tag_ord" = given."tag_ord" from (select (v ->> 0)::bigint as "row", (v ->> 1)::double precision as "tag_ord" from json_array_elements($1::json) v) given where "articles_tags_lnk"."id" = given."row";
--   list of 2
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # components and a zone replaced
-- PUT /api/articles/<it>?status=draft {"links":[{"label":"new"}],"zone":[{"__component":"blocks.quote","text":"New"}]}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select n, nextval(ids) from (select n, (select s.ids from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum, lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id' and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids, (v ->> 1)::int amount from json_array_elements($1::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount);
--   list of 2
update "articles" set "updated_at" = $1 where "id" = $2;
--   text, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = $1 and "field" = $2 and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, text
delete from "articles_cmps" where "id" in ($1, $2);
--   number, number
delete from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3;
--   number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4) and "target_type" = $5;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2) and "mentions_type" = $3;
--   number, number, text
delete from "components_shared_links_target_lnk" where "link_id" in ($1, $2);
--   number, number
delete from "components_shared_links" where "id" in ($1, $2);
--   number, number
insert into "components_shared_links" ("id", "label", "url") values ($1, $2, $3);
--   number, text, null
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = $1 and "field" = $2 and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, text
delete from "articles_cmps" where "id" in ($1, $2);
--   number, number
delete from "files_related_mph" where "related_id" = $1 and "related_type" = $2;
--   number, text
delete from "galley_pending_links" where "source_id" = $1 and "source_type" = $2;
--   number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" = $3 and "target_type" = $4;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = $1 and "mentions_type" = $2;
--   number, text
delete from "components_blocks_quotes_by_lnk" where "quote_id" = $1;
--   number
delete from "components_blocks_quotes" where "id" = $1;
--   number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" = $1 and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
delete from "components_blocks_heroes_cmps" where "id" = $1;
--   number
delete from "files_related_mph" where "related_id" = $1 and "related_type" = $2;
--   number, text
delete from "galley_pending_links" where "source_id" = $1 and "source_type" = $2;
--   number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" = $3 and "target_type" = $4;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = $1 and "mentions_type" = $2;
--   number, text
delete from "components_shared_links_target_lnk" where "link_id" = $1;
--   number
delete from "components_shared_links" where "id" = $1;
--   number
delete from "files_related_mph" where "related_id" = $1 and "related_type" = $2;
--   number, text
delete from "galley_pending_links" where "source_id" = $1 and "source_type" = $2;
--   number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" = $3 and "target_type" = $4;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = $1 and "mentions_type" = $2;
--   number, text
delete from "components_blocks_heroes" where "id" = $1;
--   number
insert into "components_blocks_quotes" ("id", "text") values ($1, $2);
--   number, text
insert into "articles_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") select "entity_id", "cmp_id", "component_type", "field", "order" from (select (v ->> 0)::bigint as "entity_id", (v ->> 1)::bigint as "cmp_id", (v ->> 2)::text as "component_type", (v ->> 3)::text as "field", (v ->> 4)::bigint as "order" from json_array_elements($1::json) v) given;
--   list of 2
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a first publication
-- POST /api/articles/<it>/actions/publish
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = $1 and "source_type" = $2) or ("target_id" = $3 and "target_type" = $4) or ("author_id" = $5 and "author_type" = $6);
--   number, text, number, text, number, text
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and "field" = $3 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" = $4 and "related_type" = $5 and "field" = $6 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" = $7 and exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" = $8 and exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" = $9 and exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, text, text, number, text, text, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = $1 and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "title", "slug", "body", "blocks", "views", ("big")::text, "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = $1;
--   number
select "id", "source_type", "source_id", "attribute", "link_order", "inverse_order" from "galley_pending_links" where "target_type" = $1 and "target_document_id" = $2 and "target_locale" = $3 order by "id";
--   text, text, text
select "id", "file_id", "related_id", "order", 0, "related_type", "field", 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 1 from "articles_related_lnk" where "inv_article_id" = $3 and exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."article_id") union all select "id", "id", "target_id", 0, 0, "target_type", '', 2 from "events" where "target_id" = $4 and "target_type" = $5 union all select "id", "event_id", "mentions_id", "order", 0, "mentions_type", "field", 3 from "events_mentions_mph" where "mentions_id" = $6 and "mentions_type" = $7 and exists (select 1 from "events" led where led."id" = "events_mentions_mph"."event_id") union all select "id", "homepage_id", "article_id", "article_ord", 0, '', '', 4 from "homepages_picks_lnk" where "article_id" = $8 and exists (select 1 from "homepages" led where led."id" = "homepages_picks_lnk"."homepage_id") union all select "id", "link_id", "article_id", 0, 0, '', '', 5 from "components_shared_links_target_lnk" where "article_id" = $9 and exists (select 1 from "components_shared_links" led where led."id" = "components_shared_links_target_lnk"."link_id");
--   number, text, number, number, text, number, text, number, number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in ($1, $2) and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select "id", "label", "url" from "components_shared_links" where "id" in ($1, $2);
--   number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" = $1 and exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number
select "id", "text" from "components_blocks_quotes" where "id" = $1;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and "field" = $3 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" = $1 and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "title" from "components_blocks_heroes" where "id" = $1;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and "field" = $3 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, text, text
select "id", "meta_title", "meta_description" from "components_shared_seos" where "id" = $1;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" = $1 and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number
select "id", "label", "url" from "components_shared_links" where "id" = $1;
--   number
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 2
select n, nextval(ids) from (select n, (select s.ids from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum, lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id' and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids, (v ->> 1)::int amount from json_array_elements($1::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount);
--   list of 5
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 2
insert into "articles" ("id", "published_at", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "created_by_id", "locale", "updated_at", "updated_by_id") select $1 as "id", $2 as "published_at", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "created_by_id", "locale", "updated_at", "updated_by_id" from "articles" where "id" = $3;
--   number, text, number
insert into "components_shared_links" ("id", "label", "url") select given."made", own."label", own."url" from (select (v ->> 0)::bigint as "made", (v ->> 1)::bigint as "row" from json_array_elements($1::json) v) given join "components_shared_links" own on own."id" = given."row";
--   list of 3
insert into "components_blocks_quotes" ("id", "text") select $1 as "id", "text" from "components_blocks_quotes" where "id" = $2;
--   number, number
insert into "components_blocks_heroes" ("id", "title") select $1 as "id", "title" from "components_blocks_heroes" where "id" = $2;
--   number, number
insert into "components_shared_seos" ("id", "meta_title", "meta_description") select $1 as "id", "meta_title", "meta_description" from "components_shared_seos" where "id" = $2;
--   number, number
insert into "articles_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") select "entity_id", "cmp_id", "component_type", "field", "order" from (select (v ->> 0)::bigint as "entity_id", (v ->> 1)::bigint as "cmp_id", (v ->> 2)::text as "component_type", (v ->> 3)::text as "field", (v ->> 4)::bigint as "order" from json_array_elements($1::json) v) given;
--   list of 5
insert into "components_blocks_heroes_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
select given."n", (select coalesce(l."article_ord", 0) from "articles_author_lnk" f cross join "articles" own cross join "articles" other cross join "articles_author_lnk" l where f."author_id" = given."like_to" and f."article_ord" > given."like_order" and own."id" = f."article_id" and other."document_id" = own."document_id" and other."id" <> own."id" and other."locale" is not distinct from own."locale" and other."published_at" is not null and l."article_id" = other."id" and l."author_id" = given."to" order by f."article_ord", f."id", l."article_ord" desc, l."id" desc limit 1), (select max("article_ord") from "articles_author_lnk" where "author_id" = given."to") from (select (v ->> 0)::bigint as "n", (v ->> 1)::bigint as "to", (v ->> 2)::bigint as "like_to", (v ->> 3)::double precision as "like_order" from json_array_elements($1::json) v) given;
--   list of 1
insert into "articles_author_lnk" ("article_id", "author_id", "article_ord") values ($1, $2, $3);
--   number, number, number
select given."n", (select coalesce(l."article_ord", 0) from "articles_tags_lnk" f cross join "articles" own cross join "articles" other cross join "articles_tags_lnk" l where f."tag_id" = given."like_to" and f."article_ord" > given."like_order" and own."id" = f."article_id" and other."document_id" = own."document_id" and other."id" <> own."id" and other."locale" is not distinct from own."locale" and other."published_at" is not null and l."article_id" = other."id" and l."tag_id" = given."to" order by f."article_ord", f."id", l."article_ord" desc, l."id" desc limit 1), (select max("article_ord") from "articles_tags_lnk" where "tag_id" = given."to") from (select (v ->> 0)::bigint as "n", (v ->> 1)::bigint as "to", (v ->> 2)::bigint as "like_to", (v ->> 3)::double precision as "like_order" from json_array_elements($1::json) v) given;
--   list of 3
insert into "articles_tags_lnk" ("article_id", "tag_id", "tag_ord", "article_ord") select "article_id", "tag_id", "tag_ord", "article_ord" from (select (v ->> 0)::bigint as "article_id", (v ->> 1)::bigint as "tag_id", (v ->> 2)::bigint as "tag_ord", (v ->> 3)::bigint as "article_ord" from json_array_elements($1::json) v) given;
--   list of 3
insert into "articles_related_lnk" ("article_id", "inv_article_id", "article_ord") select "article_id", "inv_article_id", "article_ord" from (select (v ->> 0)::bigint as "article_id", (v ->> 1)::bigint as "inv_article_id", (v ->> 2)::bigint as "article_ord" from json_array_elements($1::json) v) given;
--   list of 2
insert into "components_shared_links_target_lnk" ("link_id", "article_id") values ($1, $2);
--   number, number
insert into "components_blocks_quotes_by_lnk" ("quote_id", "author_id") values ($1, $2);
--   number, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
select "id", "file_id", "related_id", "order", 0, "related_type", "field" from "files_related_mph" where "file_id" = $1 and case "related_type" when 'admin::user' then exists (select 1 from "admin_users" led where led."id" = "files_related_mph"."related_id") when 'admin::role' then exists (select 1 from "admin_roles" led where led."id" = "files_related_mph"."related_id") when 'admin::permission' then exists (select 1 from "admin_permissions" led where led."id" = "files_related_mph"."related_id") when 'plugin::upload.folder' then exists (select 1 from "upload_folders" led where led."id" = "files_related_mph"."related_id") when 'plugin::upload.file' then exists (select 1 from "files" led where led."id" = "files_related_mph"."related_id") when 'plugin::i18n.locale' then exists (select 1 from "i18n_locale" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.role' then exists (select 1 from "up_roles" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.permission' then exists (select 1 from "up_permissions" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.user' then exists (select 1 from "up_users" led where led."id" = "files_related_mph"."related_id") when 'admin::api-token' then exists (select 1 from "strapi_api_tokens" led where led."id" = "files_related_mph"."related_id") when 'admin::api-token-permission' then exists (select 1 from "strapi_api_token_permissions" led where led."id" = "files_related_mph"."related_id") when 'api::article.article' then exists (select 1 from "articles" led where led."id" = "files_related_mph"."related_id") when 'api::author.author' then exists (select 1 from "authors" led where led."id" = "files_related_mph"."related_id") when 'api::country.country' then exists (select 1 from "countries" led where led."id" = "files_related_mph"."related_id") when 'api::event.event' then exists (select 1 from "events" led where led."id" = "files_related_mph"."related_id") when 'api::homepage.homepage' then exists (select 1 from "homepages" led where led."id" = "files_related_mph"."related_id") when 'api::profile.profile' then exists (select 1 from "profiles" led where led."id" = "files_related_mph"."related_id") when 'api::setting.setting' then exists (select 1 from "settings" led where led."id" = "files_related_mph"."related_id") when 'api::tag.tag' then exists (select 1 from "tags" led where led."id" = "files_related_mph"."related_id") else 1 = 0 end order by "order", "id";
--   number
delete from "galley_draft_links" where "author_type" = $1 and "author_id" = $2;
--   text, number
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a publication of what was changed
-- POST /api/articles/<it>/actions/publish
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = $1 and "source_type" = $2) or ("target_id" = $3 and "target_type" = $4) or ("author_id" = $5 and "author_type" = $6);
--   number, text, number, text, number, text
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in ($5, $6) and "related_type" = $7 and "field" = $8 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" in ($9, $10) and exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" in ($11, $12) and exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" in ($13, $14) and exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, number, text, text, number, number, text, text, number, number, number, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "title", "slug", "body", "blocks", "views", ("big")::text, "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = $1;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in ($1, $2, $3, $4) and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number, number, number
select "id", "label", "url" from "components_shared_links" where "id" in ($1, $2);
--   number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" in ($1, $2) and exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number, number
select "id", "text" from "components_blocks_quotes" where "id" = $1;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "title" from "components_blocks_heroes" where "id" = $1;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "meta_title", "meta_description" from "components_shared_seos" where "id" = $1;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in ($1, $2) and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select "id", "label", "url" from "components_shared_links" where "id" = $1;
--   number
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 2
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 2
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 2
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 2
update "articles" set "published_at" = $1, ("title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id") = (select "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id" from "articles" where "id" = $2) where "id" = $3;
--   text, number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from (select (v ->> 0)::bigint as "from", (v ->> 1)::bigint as "to" from json_array_elements($1::json) v) given join "components_shared_links" own on own."id" = given."from" where "components_shared_links"."id" = given."to" and not ("components_shared_links"."label" is not distinct from own."label" and "components_shared_links"."url" is not distinct from own."url") returning "components_shared_links"."id";
--   list of 3
update "components_blocks_quotes" set "text" = own."text" from "components_blocks_quotes" own where own."id" = $1 and "components_blocks_quotes"."id" = $2 and not ("components_blocks_quotes"."text" is not distinct from own."text") returning "components_blocks_quotes"."id";
--   number, number
update "components_blocks_heroes" set "title" = own."title" from "components_blocks_heroes" own where own."id" = $1 and "components_blocks_heroes"."id" = $2 and not ("components_blocks_heroes"."title" is not distinct from own."title") returning "components_blocks_heroes"."id";
--   number, number
update "components_shared_seos" set "meta_title" = own."meta_title", "meta_description" = own."meta_description" from "components_shared_seos" own where own."id" = $1 and "components_shared_seos"."id" = $2 and not ("components_shared_seos"."meta_title" is not distinct from own."meta_title" and "components_shared_seos"."meta_description" is not distinct from own."meta_description") returning "components_shared_seos"."id";
--   number, number
delete from "galley_pending_links" where "source_type" = $1 and "source_id" = $2;
--   text, number
delete from "galley_pending_links" where "source_type" = $1 and "source_id" in ($2, $3, $4, $5);
--   text, number, number, number, number
delete from "galley_pending_links" where "source_type" = $1 and "source_id" = $2;
--   text, number
delete from "articles_tags_lnk" where "id" = $1;
--   number
update "articles_tags_lnk" set "tag_ord" = given."tag_ord" from (select (v ->> 0)::bigint as "row", (v ->> 1)::double precision as "tag_ord" from json_array_elements($1::json) v) given where "articles_tags_lnk"."id" = given."row";
--   list of 2
delete from "galley_draft_links" where "author_type" = $1 and "author_id" = $2;
--   text, number
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a title changed and published
-- PUT /api/articles/<it> {"title":"c"}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
update "articles" set "title" = $1, "updated_at" = $2 where "id" = $3;
--   text, text, number
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = $1 and "source_type" = $2) or ("target_id" = $3 and "target_type" = $4) or ("author_id" = $5 and "author_type" = $6);
--   number, text, number, text, number, text
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in ($5, $6) and "related_type" = $7 and "field" = $8 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" in ($9, $10) and exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" in ($11, $12) and exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" in ($13, $14) and exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, number, text, text, number, number, text, text, number, number, number, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "title", "slug", "body", "blocks", "views", ("big")::text, "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = $1;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in ($1, $2, $3, $4) and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number, number, number
select "id", "label", "url" from "components_shared_links" where "id" in ($1, $2);
--   number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" in ($1, $2) and exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number, number
select "id", "text" from "components_blocks_quotes" where "id" = $1;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "title" from "components_blocks_heroes" where "id" = $1;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "meta_title", "meta_description" from "components_shared_seos" where "id" = $1;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in ($1, $2) and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select "id", "label", "url" from "components_shared_links" where "id" = $1;
--   number
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 2
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 2
update "articles" set "published_at" = $1, ("title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id") = (select "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id" from "articles" where "id" = $2) where "id" = $3;
--   text, number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from (select (v ->> 0)::bigint as "from", (v ->> 1)::bigint as "to" from json_array_elements($1::json) v) given join "components_shared_links" own on own."id" = given."from" where "components_shared_links"."id" = given."to" and not ("components_shared_links"."label" is not distinct from own."label" and "components_shared_links"."url" is not distinct from own."url") returning "components_shared_links"."id";
--   list of 3
update "components_blocks_quotes" set "text" = own."text" from "components_blocks_quotes" own where own."id" = $1 and "components_blocks_quotes"."id" = $2 and not ("components_blocks_quotes"."text" is not distinct from own."text") returning "components_blocks_quotes"."id";
--   number, number
update "components_blocks_heroes" set "title" = own."title" from "components_blocks_heroes" own where own."id" = $1 and "components_blocks_heroes"."id" = $2 and not ("components_blocks_heroes"."title" is not distinct from own."title") returning "components_blocks_heroes"."id";
--   number, number
update "components_shared_seos" set "meta_title" = own."meta_title", "meta_description" = own."meta_description" from "components_shared_seos" own where own."id" = $1 and "components_shared_seos"."id" = $2 and not ("components_shared_seos"."meta_title" is not distinct from own."meta_title" and "components_shared_seos"."meta_description" is not distinct from own."meta_description") returning "components_shared_seos"."id";
--   number, number
delete from "galley_pending_links" where "source_type" = $1 and "source_id" = $2;
--   text, number
delete from "galley_pending_links" where "source_type" = $1 and "source_id" in ($2, $3, $4, $5);
--   text, number, number, number, number
delete from "galley_pending_links" where "source_type" = $1 and "source_id" = $2;
--   text, number
delete from "galley_draft_links" where "author_type" = $1 and "author_id" = $2;
--   text, number
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # an end of publication
-- POST /api/articles/<it>/actions/unpublish
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select "id", "file_id", "related_id", "order", 0, "related_type", "field", 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 1 from "articles_related_lnk" where "inv_article_id" = $3 and exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."article_id") union all select "id", "id", "target_id", 0, 0, "target_type", '', 2 from "events" where "target_id" = $4 and "target_type" = $5 union all select "id", "event_id", "mentions_id", "order", 0, "mentions_type", "field", 3 from "events_mentions_mph" where "mentions_id" = $6 and "mentions_type" = $7 and exists (select 1 from "events" led where led."id" = "events_mentions_mph"."event_id") union all select "id", "homepage_id", "article_id", "article_ord", 0, '', '', 4 from "homepages_picks_lnk" where "article_id" = $8 and exists (select 1 from "homepages" led where led."id" = "homepages_picks_lnk"."homepage_id") union all select "id", "link_id", "article_id", 0, 0, '', '', 5 from "components_shared_links_target_lnk" where "article_id" = $9 and exists (select 1 from "components_shared_links" led where led."id" = "components_shared_links_target_lnk"."link_id");
--   number, text, number, number, text, number, text, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = $1 and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
delete from "articles_cmps" where "id" in ($1, $2, $3, $4, $5, $6, $7, $8);
--   number, number, number, number, number, number, number, number
delete from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3;
--   number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4) and "target_type" = $5;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2) and "mentions_type" = $3;
--   number, number, text
delete from "components_shared_links_target_lnk" where "link_id" in ($1, $2);
--   number, number
delete from "components_shared_links" where "id" in ($1, $2);
--   number, number
delete from "files_related_mph" where "related_id" = $1 and "related_type" = $2;
--   number, text
delete from "galley_pending_links" where "source_id" = $1 and "source_type" = $2;
--   number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" = $3 and "target_type" = $4;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = $1 and "mentions_type" = $2;
--   number, text
delete from "components_blocks_quotes_by_lnk" where "quote_id" = $1;
--   number
delete from "components_blocks_quotes" where "id" = $1;
--   number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" = $1 and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
delete from "components_blocks_heroes_cmps" where "id" = $1;
--   number
delete from "files_related_mph" where "related_id" = $1 and "related_type" = $2;
--   number, text
delete from "galley_pending_links" where "source_id" = $1 and "source_type" = $2;
--   number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" = $3 and "target_type" = $4;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = $1 and "mentions_type" = $2;
--   number, text
delete from "components_shared_links_target_lnk" where "link_id" = $1;
--   number
delete from "components_shared_links" where "id" = $1;
--   number
delete from "files_related_mph" where "related_id" = $1 and "related_type" = $2;
--   number, text
delete from "galley_pending_links" where "source_id" = $1 and "source_type" = $2;
--   number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" = $3 and "target_type" = $4;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = $1 and "mentions_type" = $2;
--   number, text
delete from "components_blocks_heroes" where "id" = $1;
--   number
delete from "files_related_mph" where "related_id" = $1 and "related_type" = $2;
--   number, text
delete from "galley_pending_links" where "source_id" = $1 and "source_type" = $2;
--   number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" = $3 and "target_type" = $4;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = $1 and "mentions_type" = $2;
--   number, text
delete from "components_shared_seos" where "id" = $1;
--   number
delete from "files_related_mph" where "related_id" = $1 and "related_type" = $2;
--   number, text
delete from "galley_pending_links" where "source_id" = $1 and "source_type" = $2;
--   number, text
delete from "galley_draft_links" where "source_id" = $1 and "source_type" = $2;
--   number, text
delete from "galley_draft_links" where "target_id" = $1 and "target_type" = $2;
--   number, text
delete from "galley_draft_links" where "author_id" = $1 and "author_type" = $2;
--   number, text
delete from "articles_author_lnk" where "article_id" = $1;
--   number
delete from "articles_tags_lnk" where "article_id" = $1;
--   number
delete from "articles_related_lnk" where "article_id" = $1;
--   number
delete from "articles_related_lnk" where "inv_article_id" = $1;
--   number
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" = $3 and "target_type" = $4;
--   null, null, number, text
delete from "events_mentions_mph" where "mentions_id" = $1 and "mentions_type" = $2;
--   number, text
delete from "homepages_picks_lnk" where "article_id" = $1;
--   number
delete from "components_shared_links_target_lnk" where "article_id" = $1;
--   number
delete from "articles" where "id" = $1;
--   number
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a draft discarded
-- POST /api/articles/<it>/actions/discard-draft
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select 1 from "articles" a, "articles" b where a."id" = $1 and b."id" = $2 and not (a."title" is not distinct from b."title" and a."slug" is not distinct from b."slug" and a."body" is not distinct from b."body" and a."blocks" is not distinct from b."blocks" and a."views" is not distinct from b."views" and a."big" is not distinct from b."big" and a."rating" is not distinct from b."rating" and a."price" is not distinct from b."price" and a."featured" is not distinct from b."featured" and a."kind" is not distinct from b."kind" and a."day" is not distinct from b."day" and a."at" is not distinct from b."at" and a."hour" is not distinct from b."hour" and a."contact" is not distinct from b."contact" and a."secret" is not distinct from b."secret" and a."hidden" is not distinct from b."hidden" and a."meta" is not distinct from b."meta" and a."updated_at" is not distinct from b."updated_at" and a."updated_by_id" is not distinct from b."updated_by_id");
--   number, number
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = $1 and "source_type" = $2) or ("target_id" = $3 and "target_type" = $4) or ("author_id" = $5 and "author_type" = $6);
--   number, text, number, text, number, text
update "articles" set ("title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id") = (select "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id" from "articles" where "id" = $1) where "id" = $2;
--   number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in ($5, $6) and "related_type" = $7 and "field" = $8 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" in ($9, $10) and exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" in ($11, $12) and exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" in ($13, $14) and exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, number, text, text, number, number, text, text, number, number, number, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in ($1, $2, $3, $4) and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number, number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" in ($1, $2) and exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in ($1, $2) and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 2
update "components_shared_links" set "label" = own."label", "url" = own."url" from (select (v ->> 0)::bigint as "from", (v ->> 1)::bigint as "to" from json_array_elements($1::json) v) given join "components_shared_links" own on own."id" = given."from" where "components_shared_links"."id" = given."to" and not ("components_shared_links"."label" is not distinct from own."label" and "components_shared_links"."url" is not distinct from own."url") returning "components_shared_links"."id";
--   list of 3
update "components_blocks_quotes" set "text" = own."text" from "components_blocks_quotes" own where own."id" = $1 and "components_blocks_quotes"."id" = $2 and not ("components_blocks_quotes"."text" is not distinct from own."text") returning "components_blocks_quotes"."id";
--   number, number
update "components_blocks_heroes" set "title" = own."title" from "components_blocks_heroes" own where own."id" = $1 and "components_blocks_heroes"."id" = $2 and not ("components_blocks_heroes"."title" is not distinct from own."title") returning "components_blocks_heroes"."id";
--   number, number
update "components_shared_seos" set "meta_title" = own."meta_title", "meta_description" = own."meta_description" from "components_shared_seos" own where own."id" = $1 and "components_shared_seos"."id" = $2 and not ("components_shared_seos"."meta_title" is not distinct from own."meta_title" and "components_shared_seos"."meta_description" is not distinct from own."meta_description") returning "components_shared_seos"."id";
--   number, number
select given."n", (select coalesce(l."article_ord", 0) from "articles_tags_lnk" f cross join "articles" own cross join "articles" other cross join "articles_tags_lnk" l where f."tag_id" = given."like_to" and f."article_ord" > given."like_order" and own."id" = f."article_id" and other."document_id" = own."document_id" and other."id" <> own."id" and other."locale" is not distinct from own."locale" and other."published_at" is null and l."article_id" = other."id" and l."tag_id" = given."to" order by f."article_ord", f."id", l."article_ord" desc, l."id" desc limit 1), (select max("article_ord") from "articles_tags_lnk" where "tag_id" = given."to") from (select (v ->> 0)::bigint as "n", (v ->> 1)::bigint as "to", (v ->> 2)::bigint as "like_to", (v ->> 3)::double precision as "like_order" from json_array_elements($1::json) v) given;
--   list of 1
insert into "articles_tags_lnk" ("article_id", "tag_id", "tag_ord", "article_ord") values ($1, $2, $3, $4);
--   number, number, number, number
update "articles_tags_lnk" set "tag_ord" = given."tag_ord" from (select (v ->> 0)::bigint as "row", (v ->> 1)::double precision as "tag_ord" from json_array_elements($1::json) v) given where "articles_tags_lnk"."id" = given."row";
--   list of 2
delete from "galley_draft_links" where "author_type" = $1 and "author_id" = $2;
--   text, number
delete from "galley_draft_links" where "source_type" = $1 and "source_id" = $2;
--   text, number
delete from "galley_draft_links" where "target_type" = $1 and "target_id" = $2;
--   text, number
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a new locale, which inherits shared attributes
-- PUT /api/articles/<it>?locale=fr {"title":"Riche"}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select "id" from "i18n_locale" where "code" = $1;
--   text
insert into "articles" ("document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22) returning "id";
--   text, text, null, null, null, number, null, null, null, boolean, null, null, null, null, null, null, null, null, text, text, null, text
update "articles" set ("views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta") = (select "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = $1) where "id" = $2;
--   number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in ($5, $6) and "related_type" = $7 and "field" = $8 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text, number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = $1 and "source_type" = $2) or ("target_id" = $3 and "target_type" = $4) or ("author_id" = $5 and "author_type" = $6);
--   number, text, number, text, number, text
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and "field" = $3 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" = $4 and "related_type" = $5 and "field" = $6 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" = $7 and exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" = $8 and exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" = $9 and exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, text, text, number, text, text, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = $1 and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "title", "slug", "body", "blocks", "views", ("big")::text, "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = $1;
--   number
select "id", "source_type", "source_id", "attribute", "link_order", "inverse_order" from "galley_pending_links" where "target_type" = $1 and "target_document_id" = $2 and "target_locale" = $3 order by "id";
--   text, text, text
select "id", "file_id", "related_id", "order", 0, "related_type", "field", 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 1 from "articles_related_lnk" where "inv_article_id" = $3 and exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."article_id") union all select "id", "id", "target_id", 0, 0, "target_type", '', 2 from "events" where "target_id" = $4 and "target_type" = $5 union all select "id", "event_id", "mentions_id", "order", 0, "mentions_type", "field", 3 from "events_mentions_mph" where "mentions_id" = $6 and "mentions_type" = $7 and exists (select 1 from "events" led where led."id" = "events_mentions_mph"."event_id") union all select "id", "homepage_id", "article_id", "article_ord", 0, '', '', 4 from "homepages_picks_lnk" where "article_id" = $8 and exists (select 1 from "homepages" led where led."id" = "homepages_picks_lnk"."homepage_id") union all select "id", "link_id", "article_id", 0, 0, '', '', 5 from "components_shared_links_target_lnk" where "article_id" = $9 and exists (select 1 from "components_shared_links" led where led."id" = "components_shared_links_target_lnk"."link_id");
--   number, text, number, number, text, number, text, number, number
select n, nextval(ids) from (select n, (select s.ids from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum, lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id' and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids, (v ->> 1)::int amount from json_array_elements($1::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount);
--   list of 1
insert into "articles" ("id", "published_at", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "created_by_id", "locale", "updated_at", "updated_by_id") select $1 as "id", $2 as "published_at", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "created_by_id", "locale", "updated_at", "updated_by_id" from "articles" where "id" = $3;
--   number, text, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
select "id", "file_id", "related_id", "order", 0, "related_type", "field" from "files_related_mph" where "file_id" = $1 and case "related_type" when 'admin::user' then exists (select 1 from "admin_users" led where led."id" = "files_related_mph"."related_id") when 'admin::role' then exists (select 1 from "admin_roles" led where led."id" = "files_related_mph"."related_id") when 'admin::permission' then exists (select 1 from "admin_permissions" led where led."id" = "files_related_mph"."related_id") when 'plugin::upload.folder' then exists (select 1 from "upload_folders" led where led."id" = "files_related_mph"."related_id") when 'plugin::upload.file' then exists (select 1 from "files" led where led."id" = "files_related_mph"."related_id") when 'plugin::i18n.locale' then exists (select 1 from "i18n_locale" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.role' then exists (select 1 from "up_roles" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.permission' then exists (select 1 from "up_permissions" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.user' then exists (select 1 from "up_users" led where led."id" = "files_related_mph"."related_id") when 'admin::api-token' then exists (select 1 from "strapi_api_tokens" led where led."id" = "files_related_mph"."related_id") when 'admin::api-token-permission' then exists (select 1 from "strapi_api_token_permissions" led where led."id" = "files_related_mph"."related_id") when 'api::article.article' then exists (select 1 from "articles" led where led."id" = "files_related_mph"."related_id") when 'api::author.author' then exists (select 1 from "authors" led where led."id" = "files_related_mph"."related_id") when 'api::country.country' then exists (select 1 from "countries" led where led."id" = "files_related_mph"."related_id") when 'api::event.event' then exists (select 1 from "events" led where led."id" = "files_related_mph"."related_id") when 'api::homepage.homepage' then exists (select 1 from "homepages" led where led."id" = "files_related_mph"."related_id") when 'api::profile.profile' then exists (select 1 from "profiles" led where led."id" = "files_related_mph"."related_id") when 'api::setting.setting' then exists (select 1 from "settings" led where led."id" = "files_related_mph"."related_id") when 'api::tag.tag' then exists (select 1 from "tags" led where led."id" = "files_related_mph"."related_id") else 1 = 0 end order by "order", "id";
--   number
delete from "galley_draft_links" where "author_type" = $1 and "author_id" = $2;
--   text, number
select 1 from "articles" a, "articles" b where a."id" = $1 and b."id" = $2 and not (a."views" is not distinct from b."views" and a."big" is not distinct from b."big" and a."rating" is not distinct from b."rating" and a."price" is not distinct from b."price" and a."featured" is not distinct from b."featured" and a."kind" is not distinct from b."kind" and a."day" is not distinct from b."day" and a."at" is not distinct from b."at" and a."hour" is not distinct from b."hour" and a."contact" is not distinct from b."contact" and a."secret" is not distinct from b."secret" and a."hidden" is not distinct from b."hidden" and a."meta" is not distinct from b."meta");
--   number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in ($5, $6) and "related_type" = $7 and "field" = $8 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text, number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a shared attribute of a document in two locales
-- after PUT /api/articles/<it>?locale=fr {"title":"Riche"}
-- PUT /api/articles/<it> {"views":9}
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
update "articles" set "views" = $1, "updated_at" = $2 where "id" = $3;
--   number, text, number
select 1 from "articles" a, "articles" b where a."id" = $1 and b."id" = $2 and not (a."views" is not distinct from b."views" and a."big" is not distinct from b."big" and a."rating" is not distinct from b."rating" and a."price" is not distinct from b."price" and a."featured" is not distinct from b."featured" and a."kind" is not distinct from b."kind" and a."day" is not distinct from b."day" and a."at" is not distinct from b."at" and a."hour" is not distinct from b."hour" and a."contact" is not distinct from b."contact" and a."secret" is not distinct from b."secret" and a."hidden" is not distinct from b."hidden" and a."meta" is not distinct from b."meta");
--   number, number
update "articles" set ("views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta") = (select "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = $1) where "id" = $2;
--   number, number
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = $1 and "source_type" = $2) or ("target_id" = $3 and "target_type" = $4) or ("author_id" = $5 and "author_type" = $6);
--   number, text, number, text, number, text
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in ($5, $6) and "related_type" = $7 and "field" = $8 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" in ($9, $10) and exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" in ($11, $12) and exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" in ($13, $14) and exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, number, text, text, number, number, text, text, number, number, number, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "title", "slug", "body", "blocks", "views", ("big")::text, "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = $1;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in ($1, $2, $3, $4) and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number, number, number
select "id", "label", "url" from "components_shared_links" where "id" in ($1, $2);
--   number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" in ($1, $2) and exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number, number
select "id", "text" from "components_blocks_quotes" where "id" = $1;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select "id", "title" from "components_blocks_heroes" where "id" = $1;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text
select "id", "meta_title", "meta_description" from "components_shared_seos" where "id" = $1;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in ($1, $2) and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select "id", "label", "url" from "components_shared_links" where "id" = $1;
--   number
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 2
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 2
update "articles" set "published_at" = $1, ("title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id") = (select "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "updated_at", "updated_by_id" from "articles" where "id" = $2) where "id" = $3;
--   text, number, number
update "components_shared_links" set "label" = own."label", "url" = own."url" from (select (v ->> 0)::bigint as "from", (v ->> 1)::bigint as "to" from json_array_elements($1::json) v) given join "components_shared_links" own on own."id" = given."from" where "components_shared_links"."id" = given."to" and not ("components_shared_links"."label" is not distinct from own."label" and "components_shared_links"."url" is not distinct from own."url") returning "components_shared_links"."id";
--   list of 3
update "components_blocks_quotes" set "text" = own."text" from "components_blocks_quotes" own where own."id" = $1 and "components_blocks_quotes"."id" = $2 and not ("components_blocks_quotes"."text" is not distinct from own."text") returning "components_blocks_quotes"."id";
--   number, number
update "components_blocks_heroes" set "title" = own."title" from "components_blocks_heroes" own where own."id" = $1 and "components_blocks_heroes"."id" = $2 and not ("components_blocks_heroes"."title" is not distinct from own."title") returning "components_blocks_heroes"."id";
--   number, number
update "components_shared_seos" set "meta_title" = own."meta_title", "meta_description" = own."meta_description" from "components_shared_seos" own where own."id" = $1 and "components_shared_seos"."id" = $2 and not ("components_shared_seos"."meta_title" is not distinct from own."meta_title" and "components_shared_seos"."meta_description" is not distinct from own."meta_description") returning "components_shared_seos"."id";
--   number, number
delete from "galley_pending_links" where "source_type" = $1 and "source_id" = $2;
--   text, number
delete from "galley_pending_links" where "source_type" = $1 and "source_id" in ($2, $3, $4, $5);
--   text, number, number, number, number
delete from "galley_pending_links" where "source_type" = $1 and "source_id" = $2;
--   text, number
delete from "galley_draft_links" where "author_type" = $1 and "author_id" = $2;
--   text, number
select 1 from "articles" a, "articles" b where a."id" = $1 and b."id" = $2 and not (a."views" is not distinct from b."views" and a."big" is not distinct from b."big" and a."rating" is not distinct from b."rating" and a."price" is not distinct from b."price" and a."featured" is not distinct from b."featured" and a."kind" is not distinct from b."kind" and a."day" is not distinct from b."day" and a."at" is not distinct from b."at" and a."hour" is not distinct from b."hour" and a."contact" is not distinct from b."contact" and a."secret" is not distinct from b."secret" and a."hidden" is not distinct from b."hidden" and a."meta" is not distinct from b."meta");
--   number, number
update "articles" set ("views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta") = (select "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = $1) where "id" = $2;
--   number, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3 and "field" = $4 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" in ($5, $6) and "related_type" = $7 and "field" = $8 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, number, text, text, number, number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a deletion of a document
-- DELETE /api/articles/<it>
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
delete from "articles_cmps" where "id" in ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);
--   number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number
delete from "files_related_mph" where "related_id" in ($1, $2, $3, $4) and "related_type" = $5;
--   number, number, number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2, $3, $4) and "source_type" = $5;
--   number, number, number, number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4, $5, $6) and "target_type" = $7;
--   null, null, number, number, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2, $3, $4) and "mentions_type" = $5;
--   number, number, number, number, text
delete from "components_shared_links_target_lnk" where "link_id" in ($1, $2, $3, $4);
--   number, number, number, number
delete from "components_shared_links" where "id" in ($1, $2, $3, $4);
--   number, number, number, number
delete from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3;
--   number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4) and "target_type" = $5;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2) and "mentions_type" = $3;
--   number, number, text
delete from "components_blocks_quotes_by_lnk" where "quote_id" in ($1, $2);
--   number, number
delete from "components_blocks_quotes" where "id" in ($1, $2);
--   number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
delete from "components_blocks_heroes_cmps" where "id" in ($1, $2);
--   number, number
delete from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3;
--   number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4) and "target_type" = $5;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2) and "mentions_type" = $3;
--   number, number, text
delete from "components_shared_links_target_lnk" where "link_id" in ($1, $2);
--   number, number
delete from "components_shared_links" where "id" in ($1, $2);
--   number, number
delete from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3;
--   number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4) and "target_type" = $5;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2) and "mentions_type" = $3;
--   number, number, text
delete from "components_blocks_heroes" where "id" in ($1, $2);
--   number, number
delete from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3;
--   number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4) and "target_type" = $5;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2) and "mentions_type" = $3;
--   number, number, text
delete from "components_shared_seos" where "id" in ($1, $2);
--   number, number
delete from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3;
--   number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
delete from "galley_draft_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
delete from "galley_draft_links" where "target_id" in ($1, $2) and "target_type" = $3;
--   number, number, text
delete from "galley_draft_links" where "author_id" in ($1, $2) and "author_type" = $3;
--   number, number, text
delete from "articles_author_lnk" where "article_id" in ($1, $2);
--   number, number
delete from "articles_tags_lnk" where "article_id" in ($1, $2);
--   number, number
delete from "articles_related_lnk" where "article_id" in ($1, $2);
--   number, number
delete from "articles_related_lnk" where "inv_article_id" in ($1, $2);
--   number, number
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4) and "target_type" = $5;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2) and "mentions_type" = $3;
--   number, number, text
delete from "homepages_picks_lnk" where "article_id" in ($1, $2);
--   number, number
delete from "components_shared_links_target_lnk" where "article_id" in ($1, $2);
--   number, number
delete from "articles" where "id" in ($1, $2);
--   number, number
delete from "galley_pending_links" where "target_type" = $1 and "target_document_id" = $2 and "target_locale" = $3;
--   text, text, text

-- # a deletion of a locale
-- DELETE /api/articles/<it>?locale=en
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
delete from "articles_cmps" where "id" in ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);
--   number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number
delete from "files_related_mph" where "related_id" in ($1, $2, $3, $4) and "related_type" = $5;
--   number, number, number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2, $3, $4) and "source_type" = $5;
--   number, number, number, number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4, $5, $6) and "target_type" = $7;
--   null, null, number, number, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2, $3, $4) and "mentions_type" = $5;
--   number, number, number, number, text
delete from "components_shared_links_target_lnk" where "link_id" in ($1, $2, $3, $4);
--   number, number, number, number
delete from "components_shared_links" where "id" in ($1, $2, $3, $4);
--   number, number, number, number
delete from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3;
--   number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4) and "target_type" = $5;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2) and "mentions_type" = $3;
--   number, number, text
delete from "components_blocks_quotes_by_lnk" where "quote_id" in ($1, $2);
--   number, number
delete from "components_blocks_quotes" where "id" in ($1, $2);
--   number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" in ($1, $2) and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number, number
delete from "components_blocks_heroes_cmps" where "id" in ($1, $2);
--   number, number
delete from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3;
--   number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4) and "target_type" = $5;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2) and "mentions_type" = $3;
--   number, number, text
delete from "components_shared_links_target_lnk" where "link_id" in ($1, $2);
--   number, number
delete from "components_shared_links" where "id" in ($1, $2);
--   number, number
delete from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3;
--   number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4) and "target_type" = $5;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2) and "mentions_type" = $3;
--   number, number, text
delete from "components_blocks_heroes" where "id" in ($1, $2);
--   number, number
delete from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3;
--   number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4) and "target_type" = $5;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2) and "mentions_type" = $3;
--   number, number, text
delete from "components_shared_seos" where "id" in ($1, $2);
--   number, number
delete from "files_related_mph" where "related_id" in ($1, $2) and "related_type" = $3;
--   number, number, text
delete from "galley_pending_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
delete from "galley_draft_links" where "source_id" in ($1, $2) and "source_type" = $3;
--   number, number, text
delete from "galley_draft_links" where "target_id" in ($1, $2) and "target_type" = $3;
--   number, number, text
delete from "galley_draft_links" where "author_id" in ($1, $2) and "author_type" = $3;
--   number, number, text
delete from "articles_author_lnk" where "article_id" in ($1, $2);
--   number, number
delete from "articles_tags_lnk" where "article_id" in ($1, $2);
--   number, number
delete from "articles_related_lnk" where "article_id" in ($1, $2);
--   number, number
delete from "articles_related_lnk" where "inv_article_id" in ($1, $2);
--   number, number
update "events" set "target_id" = $1, "target_type" = $2 where "target_id" in ($3, $4) and "target_type" = $5;
--   null, null, number, number, text
delete from "events_mentions_mph" where "mentions_id" in ($1, $2) and "mentions_type" = $3;
--   number, number, text
delete from "homepages_picks_lnk" where "article_id" in ($1, $2);
--   number, number
delete from "components_shared_links_target_lnk" where "article_id" in ($1, $2);
--   number, number
delete from "articles" where "id" in ($1, $2);
--   number, number
delete from "galley_pending_links" where "target_type" = $1 and "target_document_id" = $2 and "target_locale" = $3;
--   text, text, text

-- # a clone
-- CLONE <it>
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
insert into "articles" ("document_id", "created_at", "updated_at", "published_at", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "locale", "created_by_id", "updated_by_id") select $1 as "document_id", $2 as "created_at", $3 as "updated_at", $4 as "published_at", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "locale", "created_by_id", "updated_by_id" from "articles" where "id" = $5 returning "id";
--   text, text, text, null, number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and "field" = $3 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" = $4 and "related_type" = $5 and "field" = $6 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" = $7 and exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" = $8 and exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" = $9 and exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, text, text, number, text, text, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = $1 and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in ($1, $2) and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" = $1 and exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and "field" = $3 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" = $1 and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and "field" = $3 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, text, text
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" = $1 and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number
select n, nextval(ids) from (select n, (select s.ids from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum, lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id' and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids, (v ->> 1)::int amount from json_array_elements($1::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount);
--   list of 5
insert into "components_shared_links" ("id", "label", "url") select given."made", own."label", own."url" from (select (v ->> 0)::bigint as "made", (v ->> 1)::bigint as "row" from json_array_elements($1::json) v) given join "components_shared_links" own on own."id" = given."row";
--   list of 3
insert into "components_blocks_quotes" ("id", "text") select $1 as "id", "text" from "components_blocks_quotes" where "id" = $2;
--   number, number
insert into "components_blocks_heroes" ("id", "title") select $1 as "id", "title" from "components_blocks_heroes" where "id" = $2;
--   number, number
insert into "components_shared_seos" ("id", "meta_title", "meta_description") select $1 as "id", "meta_title", "meta_description" from "components_shared_seos" where "id" = $2;
--   number, number
insert into "articles_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") select "entity_id", "cmp_id", "component_type", "field", "order" from (select (v ->> 0)::bigint as "entity_id", (v ->> 1)::bigint as "cmp_id", (v ->> 2)::text as "component_type", (v ->> 3)::text as "field", (v ->> 4)::bigint as "order" from json_array_elements($1::json) v) given;
--   list of 5
insert into "components_blocks_heroes_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
delete from "galley_pending_links" where "source_type" = $1 and "source_id" in ($2, $3, $4, $5);
--   text, number, number, number, number
select "source_id", "attribute", "target_type", "target_document_id", "target_locale", "link_order", "inverse_order" from "galley_pending_links" where "source_type" = $1 and "source_id" in ($2, $3, $4, $5);
--   text, number, number, number, number
delete from "galley_pending_links" where "source_type" = $1 and "source_id" = $2;
--   text, number
select "source_id", "attribute", "target_type", "target_document_id", "target_locale", "link_order", "inverse_order" from "galley_pending_links" where "source_type" = $1 and "source_id" = $2;
--   text, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
select given."n", null, (select max("article_ord") from "articles_author_lnk" where "author_id" = given."to") from (select (v ->> 0)::bigint as "n", (v ->> 1)::bigint as "to", (v ->> 2)::bigint as "like_to", (v ->> 3)::double precision as "like_order" from json_array_elements($1::json) v) given;
--   list of 1
insert into "articles_author_lnk" ("article_id", "author_id", "article_ord") values ($1, $2, $3);
--   number, number, number
select given."n", null, (select max("article_ord") from "articles_tags_lnk" where "tag_id" = given."to") from (select (v ->> 0)::bigint as "n", (v ->> 1)::bigint as "to", (v ->> 2)::bigint as "like_to", (v ->> 3)::double precision as "like_order" from json_array_elements($1::json) v) given;
--   list of 3
insert into "articles_tags_lnk" ("article_id", "tag_id", "tag_ord", "article_ord") select "article_id", "tag_id", "tag_ord", "article_ord" from (select (v ->> 0)::bigint as "article_id", (v ->> 1)::bigint as "tag_id", (v ->> 2)::bigint as "tag_ord", (v ->> 3)::bigint as "article_ord" from json_array_elements($1::json) v) given;
--   list of 3
insert into "articles_related_lnk" ("article_id", "inv_article_id", "article_ord") select "article_id", "inv_article_id", "article_ord" from (select (v ->> 0)::bigint as "article_id", (v ->> 1)::bigint as "inv_article_id", (v ->> 2)::bigint as "article_ord" from json_array_elements($1::json) v) given;
--   list of 2
insert into "components_shared_links_target_lnk" ("link_id", "article_id") values ($1, $2);
--   number, number
insert into "components_blocks_quotes_by_lnk" ("quote_id", "author_id") values ($1, $2);
--   number, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select (select case when octet_length(galley_answer) <= 134217728 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text

-- # a batch of three operations
-- POST /api/articles/actions/batch {"operations":[{"action":"create","status":"draft","data":{"title":"One"}},{"action":"update","documentId":"<it>","status":"draft","data":{"title":"Two"}},{"action":"publish","documentId":"<it>"}]}
select n, nextval(ids) from (select n, (select s.ids from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum, lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id' and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids, (v ->> 1)::int amount from json_array_elements($1::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount);
--   list of 1
insert into "articles" ("id", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "updated_at", "published_at", "locale") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23);
--   number, text, text, null, null, null, number, null, null, null, boolean, null, null, null, null, null, null, null, null, text, text, null, text
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
update "articles" set "title" = $1, "updated_at" = $2 where "id" = $3;
--   text, text, number
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text
select "id", "locale", "published_at", "created_at", "updated_at" from "articles" where "document_id" = $1 order by "id";
--   text
select "source_type", "attribute", "source_id", "target_type", "target_id", "author_type", "author_id" from "galley_draft_links" where ("source_id" = $1 and "source_type" = $2) or ("target_id" = $3 and "target_type" = $4) or ("author_id" = $5 and "author_type" = $6);
--   number, text, number, text, number, text
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and "field" = $3 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "related_id", "file_id", "order", 0, '', '', 1 from "files_related_mph" where "related_id" = $4 and "related_type" = $5 and "field" = $6 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "author_id", 0, "article_ord", '', '', 2 from "articles_author_lnk" where "article_id" = $7 and exists (select 1 from "authors" led where led."id" = "articles_author_lnk"."author_id") union all select "id", "article_id", "tag_id", "tag_ord", "article_ord", '', '', 3 from "articles_tags_lnk" where "article_id" = $8 and exists (select 1 from "tags" led where led."id" = "articles_tags_lnk"."tag_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 4 from "articles_related_lnk" where "article_id" = $9 and exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."inv_article_id");
--   number, text, text, number, text, text, number, number, number
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "articles_cmps" where "entity_id" = $1 and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "articles_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "articles_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "articles_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "articles_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "articles_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "articles_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "title", "slug", "body", "blocks", "views", ("big")::text, "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta" from "articles" where "id" = $1;
--   number
select "id", "source_type", "source_id", "attribute", "link_order", "inverse_order" from "galley_pending_links" where "target_type" = $1 and "target_document_id" = $2 and "target_locale" = $3 order by "id";
--   text, text, text
select "id", "file_id", "related_id", "order", 0, "related_type", "field", 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id") union all select "id", "article_id", "inv_article_id", "article_ord", 0, '', '', 1 from "articles_related_lnk" where "inv_article_id" = $3 and exists (select 1 from "articles" led where led."id" = "articles_related_lnk"."article_id") union all select "id", "id", "target_id", 0, 0, "target_type", '', 2 from "events" where "target_id" = $4 and "target_type" = $5 union all select "id", "event_id", "mentions_id", "order", 0, "mentions_type", "field", 3 from "events_mentions_mph" where "mentions_id" = $6 and "mentions_type" = $7 and exists (select 1 from "events" led where led."id" = "events_mentions_mph"."event_id") union all select "id", "homepage_id", "article_id", "article_ord", 0, '', '', 4 from "homepages_picks_lnk" where "article_id" = $8 and exists (select 1 from "homepages" led where led."id" = "homepages_picks_lnk"."homepage_id") union all select "id", "link_id", "article_id", 0, 0, '', '', 5 from "components_shared_links_target_lnk" where "article_id" = $9 and exists (select 1 from "components_shared_links" led where led."id" = "components_shared_links_target_lnk"."link_id");
--   number, text, number, number, text, number, text, number, number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" in ($1, $2) and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number, number
select "id", "label", "url" from "components_shared_links" where "id" in ($1, $2);
--   number, number
select "id", "quote_id", "author_id", 0, 0, '', '', 0 from "components_blocks_quotes_by_lnk" where "quote_id" = $1 and exists (select 1 from "authors" led where led."id" = "components_blocks_quotes_by_lnk"."author_id");
--   number
select "id", "text" from "components_blocks_quotes" where "id" = $1;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and "field" = $3 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, text, text
select "id", "entity_id", "field", "component_type", "cmp_id", "order" from "components_blocks_heroes_cmps" where "entity_id" = $1 and case "component_type" when 'blocks.hero' then exists (select 1 from "components_blocks_heroes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'blocks.quote' then exists (select 1 from "components_blocks_quotes" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.link' then exists (select 1 from "components_shared_links" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.seo' then exists (select 1 from "components_shared_seos" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.slot' then exists (select 1 from "components_shared_slots" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") when 'shared.venue' then exists (select 1 from "components_shared_venues" led where led."id" = "components_blocks_heroes_cmps"."cmp_id") else 1 = 0 end order by "order", "id";
--   number
select "id", "title" from "components_blocks_heroes" where "id" = $1;
--   number
select "id", "related_id", "file_id", "order", 0, '', '', 0 from "files_related_mph" where "related_id" = $1 and "related_type" = $2 and "field" = $3 and exists (select 1 from "files" led where led."id" = "files_related_mph"."file_id");
--   number, text, text
select "id", "meta_title", "meta_description" from "components_shared_seos" where "id" = $1;
--   number
select "id", "link_id", "article_id", 0, 0, '', '', 0 from "components_shared_links_target_lnk" where "link_id" = $1 and exists (select 1 from "articles" led where led."id" = "components_shared_links_target_lnk"."article_id");
--   number
select "id", "label", "url" from "components_shared_links" where "id" = $1;
--   number
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 2
select n, nextval(ids) from (select n, (select s.ids from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum, lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id' and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids, (v ->> 1)::int amount from json_array_elements($1::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount);
--   list of 5
select t."id", t."document_id", t."locale", o."id" from "tags" t left join "tags" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 3
select t."id", t."document_id", t."locale", o."id" from "articles" t left join "articles" o on o."document_id" = t."document_id" and o."locale" is not distinct from t."locale" and o."published_at" is not null where t."id" in (select given."v" from (select (v ->> 0)::bigint as "v" from json_array_elements($1::json) v) given);
--   list of 2
insert into "articles" ("id", "published_at", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "created_by_id", "locale", "updated_at", "updated_by_id") select $1 as "id", $2 as "published_at", "document_id", "title", "slug", "body", "blocks", "views", "big", "rating", "price", "featured", "kind", "day", "at", "hour", "contact", "secret", "hidden", "meta", "created_at", "created_by_id", "locale", "updated_at", "updated_by_id" from "articles" where "id" = $3;
--   number, text, number
insert into "components_shared_links" ("id", "label", "url") select given."made", own."label", own."url" from (select (v ->> 0)::bigint as "made", (v ->> 1)::bigint as "row" from json_array_elements($1::json) v) given join "components_shared_links" own on own."id" = given."row";
--   list of 3
insert into "components_blocks_quotes" ("id", "text") select $1 as "id", "text" from "components_blocks_quotes" where "id" = $2;
--   number, number
insert into "components_blocks_heroes" ("id", "title") select $1 as "id", "title" from "components_blocks_heroes" where "id" = $2;
--   number, number
insert into "components_shared_seos" ("id", "meta_title", "meta_description") select $1 as "id", "meta_title", "meta_description" from "components_shared_seos" where "id" = $2;
--   number, number
insert into "articles_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") select "entity_id", "cmp_id", "component_type", "field", "order" from (select (v ->> 0)::bigint as "entity_id", (v ->> 1)::bigint as "cmp_id", (v ->> 2)::text as "component_type", (v ->> 3)::text as "field", (v ->> 4)::bigint as "order" from json_array_elements($1::json) v) given;
--   list of 5
insert into "components_blocks_heroes_cmps" ("entity_id", "cmp_id", "component_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
select given."n", (select coalesce(l."article_ord", 0) from "articles_author_lnk" f cross join "articles" own cross join "articles" other cross join "articles_author_lnk" l where f."author_id" = given."like_to" and f."article_ord" > given."like_order" and own."id" = f."article_id" and other."document_id" = own."document_id" and other."id" <> own."id" and other."locale" is not distinct from own."locale" and other."published_at" is not null and l."article_id" = other."id" and l."author_id" = given."to" order by f."article_ord", f."id", l."article_ord" desc, l."id" desc limit 1), (select max("article_ord") from "articles_author_lnk" where "author_id" = given."to") from (select (v ->> 0)::bigint as "n", (v ->> 1)::bigint as "to", (v ->> 2)::bigint as "like_to", (v ->> 3)::double precision as "like_order" from json_array_elements($1::json) v) given;
--   list of 1
insert into "articles_author_lnk" ("article_id", "author_id", "article_ord") values ($1, $2, $3);
--   number, number, number
select given."n", (select coalesce(l."article_ord", 0) from "articles_tags_lnk" f cross join "articles" own cross join "articles" other cross join "articles_tags_lnk" l where f."tag_id" = given."like_to" and f."article_ord" > given."like_order" and own."id" = f."article_id" and other."document_id" = own."document_id" and other."id" <> own."id" and other."locale" is not distinct from own."locale" and other."published_at" is not null and l."article_id" = other."id" and l."tag_id" = given."to" order by f."article_ord", f."id", l."article_ord" desc, l."id" desc limit 1), (select max("article_ord") from "articles_tags_lnk" where "tag_id" = given."to") from (select (v ->> 0)::bigint as "n", (v ->> 1)::bigint as "to", (v ->> 2)::bigint as "like_to", (v ->> 3)::double precision as "like_order" from json_array_elements($1::json) v) given;
--   list of 3
insert into "articles_tags_lnk" ("article_id", "tag_id", "tag_ord", "article_ord") select "article_id", "tag_id", "tag_ord", "article_ord" from (select (v ->> 0)::bigint as "article_id", (v ->> 1)::bigint as "tag_id", (v ->> 2)::bigint as "tag_ord", (v ->> 3)::bigint as "article_ord" from json_array_elements($1::json) v) given;
--   list of 3
insert into "articles_related_lnk" ("article_id", "inv_article_id", "article_ord") select "article_id", "inv_article_id", "article_ord" from (select (v ->> 0)::bigint as "article_id", (v ->> 1)::bigint as "inv_article_id", (v ->> 2)::bigint as "article_ord" from json_array_elements($1::json) v) given;
--   list of 2
insert into "components_shared_links_target_lnk" ("link_id", "article_id") values ($1, $2);
--   number, number
insert into "components_blocks_quotes_by_lnk" ("quote_id", "author_id") values ($1, $2);
--   number, number
insert into "files_related_mph" ("related_id", "file_id", "related_type", "field", "order") values ($1, $2, $3, $4, $5);
--   number, number, text, text, number
select "id", "file_id", "related_id", "order", 0, "related_type", "field" from "files_related_mph" where "file_id" = $1 and case "related_type" when 'admin::user' then exists (select 1 from "admin_users" led where led."id" = "files_related_mph"."related_id") when 'admin::role' then exists (select 1 from "admin_roles" led where led."id" = "files_related_mph"."related_id") when 'admin::permission' then exists (select 1 from "admin_permissions" led where led."id" = "files_related_mph"."related_id") when 'plugin::upload.folder' then exists (select 1 from "upload_folders" led where led."id" = "files_related_mph"."related_id") when 'plugin::upload.file' then exists (select 1 from "files" led where led."id" = "files_related_mph"."related_id") when 'plugin::i18n.locale' then exists (select 1 from "i18n_locale" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.role' then exists (select 1 from "up_roles" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.permission' then exists (select 1 from "up_permissions" led where led."id" = "files_related_mph"."related_id") when 'plugin::users-permissions.user' then exists (select 1 from "up_users" led where led."id" = "files_related_mph"."related_id") when 'admin::api-token' then exists (select 1 from "strapi_api_tokens" led where led."id" = "files_related_mph"."related_id") when 'admin::api-token-permission' then exists (select 1 from "strapi_api_token_permissions" led where led."id" = "files_related_mph"."related_id") when 'api::article.article' then exists (select 1 from "articles" led where led."id" = "files_related_mph"."related_id") when 'api::author.author' then exists (select 1 from "authors" led where led."id" = "files_related_mph"."related_id") when 'api::country.country' then exists (select 1 from "countries" led where led."id" = "files_related_mph"."related_id") when 'api::event.event' then exists (select 1 from "events" led where led."id" = "files_related_mph"."related_id") when 'api::homepage.homepage' then exists (select 1 from "homepages" led where led."id" = "files_related_mph"."related_id") when 'api::profile.profile' then exists (select 1 from "profiles" led where led."id" = "files_related_mph"."related_id") when 'api::setting.setting' then exists (select 1 from "settings" led where led."id" = "files_related_mph"."related_id") when 'api::tag.tag' then exists (select 1 from "tags" led where led."id" = "files_related_mph"."related_id") else 1 = 0 end order by "order", "id";
--   number
delete from "galley_draft_links" where "author_type" = $1 and "author_id" = $2;
--   text, number
select (select case when octet_length(galley_answer) <= 16777216 then galley_answer else (3.4028234e+38::real * octet_length(galley_answer)::real)::text end from (select (json_build_object('id', t0."id", 'documentId', t0."document_id"))::text as galley_answer offset 0) galley_bounded), (select max(t1."updated_at") from "articles" t1 where t1."document_id" = t0."document_id" and t1."locale" is not distinct from t0."locale") from "articles" t0 where t0."document_id" = $1::text and t0."published_at" is not null and t0."locale" = $2::text order by t0."id" limit 1;
--   text, text
