
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.plants (
    id bigint NOT NULL,
    name text NOT NULL,
    tag text
);

CREATE TABLE public.schema_version (
    id bigint NOT NULL,
    version bigint NOT NULL
);

CREATE TABLE public.tokens (
    hash bytea NOT NULL,
    name text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    scopes text DEFAULT ''::text NOT NULL
);

INSERT INTO public.plants VALUES (-9223372036854775808, 'Welwitschia mirabilis', NULL);
INSERT INTO public.plants VALUES (-1, 'Ficus lyrata', '');
INSERT INTO public.plants VALUES (1, 'Monstera deliciosa', 'tropical');
INSERT INTO public.plants VALUES (9007199254740992, 'Ginkgo "Mariken"', 'tree');
INSERT INTO public.plants VALUES (9007199254740993, 'Гинкго 銀杏 🌱', 'é é');
INSERT INTO public.plants VALUES (9223372036854775807, '''; drop table plants; --', 'a	b
c\d');

INSERT INTO public.schema_version VALUES (1, 2);

INSERT INTO public.tokens VALUES ('\x94fddf4de2109eff39492836a61f9b7c50eaa18df8d8f95bdb6825a1346fa7a5', 'forever', 1795399979837, NULL, NULL, '');
INSERT INTO public.tokens VALUES ('\xafe422a71cf2a3050b96165a761103dc5159fd181b890f13fd5fd9fe98c9f8d8', 'far', 1795399981283, 4948999981283, NULL, '');
INSERT INTO public.tokens VALUES ('\xba84bee5064f74cbd150a8e64463b4348b7ae802179d12183c9fe1a3eb3a6ec8', 'expired', 1795399982098, 1795399983098, NULL, '');
INSERT INTO public.tokens VALUES ('\x8fb012f514f07e5ad848cc25ce24bd96c564f22d0b9bf6932abe95b37d886dc7', 'revoked', 1795399982863, NULL, 1795399983443, '');
INSERT INTO public.tokens VALUES ('\xca0856549533bb043f3f5d68f5743e2a22c4764439b18a1947cf20183748f493', 'scoped', 1795399984216, 4948999984216, NULL, 'plants:write plants:read');

ALTER TABLE ONLY public.plants
    ADD CONSTRAINT plants_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.schema_version
    ADD CONSTRAINT schema_version_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (hash);

CREATE UNIQUE INDEX tokens_in_use ON public.tokens USING btree (name) WHERE (revoked_at IS NULL);

