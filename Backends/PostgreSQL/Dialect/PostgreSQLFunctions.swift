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
    ///
    /// The server's `normalize` sorts each run of marks in quadratic time. So the marks that go anyway are removed
    /// before it, and a text with a long run of others is decomposed scalar by scalar and sorted here. U+034F separates
    /// runs, so it is removed last.
    static func statements() -> [String] {
        let pairs = TextFolding.lowercasePairs
        let common = pairs.filter { $0.scalar.value <= commonEnd }
        let marks = "[\\u0300-\\u034E\\u0350-\\u036F]"
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
                    value := regexp_replace(value, '\(marks)', '', 'g');
                    IF value ~ '[\(ranges(otherMarks.map(\.scalar.value)))]{\(longRun)}' THEN
                        SELECT string_agg(normalize(scalar, NFD), '' ORDER BY place) INTO value FROM \(scalars);
                        value := regexp_replace(value, '\(marks)', '', 'g');
                        \(sortingOfMarks)
                    ELSE
                        value := regexp_replace(normalize(value, NFD), '\(marks)', '', 'g');
                    END IF;
                    value := replace(value, '\u{34F}', '');
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

    /// The scalars of `value` as a table.
    private static let scalars = "regexp_split_to_table(value, '') WITH ORDINALITY AS given (scalar, place)"

    /// The statement that sorts each run of marks in `value` by their classes. A class is a scalar in a list: the first
    /// one is for all that are no marks, and begin a run.
    private static let sortingOfMarks: String = {
        let classes = [0] + otherMarks.map(\.combiningClass)
        let list = text(classes.compactMap { Unicode.Scalar(firstClass + UInt32($0)) })
        return """
            SELECT string_agg(scalar, '' ORDER BY run, class, place) INTO value FROM (
                SELECT *, count(*) FILTER (WHERE class = \(firstClass)) OVER (ORDER BY place) AS run FROM (
                    SELECT *, ascii(substr('\(list)', strpos('\(text(otherMarks.map(\.scalar)))', scalar) + 1, 1)) AS class
                    FROM \(scalars)
                ) AS classed
            ) AS runs;
            """
    }()

    /// The marks outside of U+0300 to U+036F, with their canonical combining classes.
    private static let otherMarks: [(scalar: Unicode.Scalar, combiningClass: UInt8)] = {
        let ranges: [ClosedRange<UInt32>] = [0x370...0xABFF, 0xF900...0xFFFF, 0x1_0000...0x1_FFFF]
        return ranges.joined().compactMap(Unicode.Scalar.init).compactMap { scalar in
            let combiningClass = scalar.properties.canonicalCombiningClass.rawValue
            return combiningClass == 0 ? nil : (scalar, combiningClass)
        }
    }()

    /// The scalar for the class of all that are no marks. Those of the others follow it.
    private static let firstClass: UInt32 = 0x100
    /// The length of a run of marks that the server need not sort. Texts of languages have no run of a third of it.
    private static let longRun = 32

    /// Scalars in rising order as a bracket expression's ranges.
    private static func ranges(_ values: [UInt32]) -> String {
        var found: [ClosedRange<UInt32>] = []
        for value in values {
            if let last = found.last, last.upperBound + 1 == value {
                found[found.count - 1] = last.lowerBound...value
            } else {
                found.append(value...value)
            }
        }
        func escaped(_ value: UInt32) -> String {
            let digits = String(value, radix: 16)
            return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
        }
        return found.map { escaped($0.lowerBound) + "-" + escaped($0.upperBound) }.joined()
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
