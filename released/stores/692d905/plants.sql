
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
    version bigint NOT NULL,
    had_token boolean NOT NULL
);

CREATE TABLE public.tokens (
    hash bytea NOT NULL,
    name text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    "position" bigint NOT NULL
);

ALTER TABLE public.tokens ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.tokens_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

INSERT INTO public.plants VALUES (-9223372036854775808, 'Welwitschia mirabilis', NULL);
INSERT INTO public.plants VALUES (-1, 'Ficus lyrata', '');
INSERT INTO public.plants VALUES (1, 'Monstera deliciosa', 'tropical');
INSERT INTO public.plants VALUES (9007199254740992, 'Ginkgo "Mariken"', 'tree');
INSERT INTO public.plants VALUES (9007199254740993, 'Гинкго 銀杏 🌱', 'é é');
INSERT INTO public.plants VALUES (9223372036854775807, '''; drop table plants; --', 'a	b
c\d');

INSERT INTO public.schema_version VALUES (1, 1, true);

INSERT INTO public.tokens OVERRIDING SYSTEM VALUE VALUES ('\x69f1ff8a2e8f4528dae3a383b3f7c6dd70d7cab6804f85ca9fc1a702588c84f9', 'forever', 1795399934773, NULL, NULL, 1);
INSERT INTO public.tokens OVERRIDING SYSTEM VALUE VALUES ('\xa63bea9a8fe294960efd4ecad39490710aa554a7e0f9ebd880a8d72ed1ac20e0', 'far', 1795399936753, 4948999936753, NULL, 2);
INSERT INTO public.tokens OVERRIDING SYSTEM VALUE VALUES ('\xdd84a0a17624fbfaa88678be510ab700c565f0d30245792481c01bbc2ff694f5', 'expired', 1795399940383, 1795399941383, NULL, 3);
INSERT INTO public.tokens OVERRIDING SYSTEM VALUE VALUES ('\x656f17ba0eccc64502646c485d44f8b25adebd31a85bcca421227de29086f2ac', 'revoked', 1795399942639, NULL, 1795399945581, 4);

SELECT pg_catalog.setval('public.tokens_position_seq', 4, true);

ALTER TABLE ONLY public.plants
    ADD CONSTRAINT plants_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.schema_version
    ADD CONSTRAINT schema_version_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (hash);

CREATE UNIQUE INDEX tokens_in_use ON public.tokens USING btree (name) WHERE (revoked_at IS NULL);

