import Backstitch

/// The functions that a PostgreSQL store keeps in its schema besides tables. They are in SQL and PL/pgSQL, because any
/// user may create those.
enum PostgreSQLFunctions {
    /// `backstitch_fold(text, flags)`: ``TextFolding`` by the raw value of ``FetchTextOptions``. It is immutable, so
    /// indexes may contain it.
    ///
    /// The lower-case mapping is a table from Swift. The decomposition is the server's own, in the Unicode version of
    /// its build. Both agree, except for characters that one of them does not know yet.
    static let fold = "backstitch_fold"

    /// The statements that create the functions, in the schema for new names.
    static func statements() -> [String] {
        let pairs = TextFolding.lowercasePairs
        let common = pairs.filter { $0.scalar.value <= commonEnd }
        return [
            """
            CREATE FUNCTION \(fold)(value text, flags integer) RETURNS text
            LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $body$
            BEGIN
                IF octet_length(value) = char_length(value) THEN
                    IF flags & 1 = 1 THEN RETURN lower(value COLLATE "C"); END IF;
                    RETURN value;
                END IF;
                IF flags & 2 = 2 THEN
                    value := regexp_replace(normalize(value, NFD), '[\\u0300-\\u036F]', '', 'g');
                END IF;
                IF flags & 1 = 1 THEN
                    IF value ~ '[^\\u0001-\\u\(hexadecimal(commonEnd))]' THEN
                        value := translate(value, '\(text(pairs.map(\.scalar)))', '\(text(pairs.map(\.lowercase)))');
                    ELSE
                        value := translate(value, '\(text(common.map(\.scalar)))', '\(text(common.map(\.lowercase)))');
                    END IF;
                END IF;
                RETURN value;
            END
            $body$
            """
        ]
    }

    /// `backstitch_uppercase(text)`: text in capitals, the inverse of the lower-case mapping, scalar by scalar.
    static let uppercase = "backstitch_uppercase"

    /// The statement that creates ``uppercase``.
    static var uppercaseStatement: String {
        let pairs = TextFolding.capitals.sorted { $0.key.value < $1.key.value }
        return """
            CREATE OR REPLACE FUNCTION \(uppercase)(value text) RETURNS text
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $body$
                SELECT translate(value, '\(text(pairs.map(\.key)))', '\(text(pairs.map(\.value)))')
            $body$
            """
    }

    /// The end of the Latin, Greek and Cyrillic alphabets. Texts within them use a shorter table.
    private static let commonEnd: UInt32 = 0x52F

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func text(_ scalars: [Unicode.Scalar]) -> String { String(String.UnicodeScalarView(scalars)) }
}
