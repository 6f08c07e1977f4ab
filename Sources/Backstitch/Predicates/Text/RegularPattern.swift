/// A pattern of `MATCHES`: a regular expression that the whole text must match.
///
/// The syntax is common to all kinds of regular expressions, and any pattern of it can be matched in time proportional
/// to the text:
/// - characters; `.` for any except the end of a line; classes `[a-z]`, `[^…]`; `\d` `\w` `\s` `\D` `\W` `\S`, all of
///   ASCII;
/// - `\t` `\n` `\r` `\f` `\v`, `\uHHHH`, `\x{H…}`, and a backslash before any punctuation for itself;
/// - `( )`, `(?: )`, `|`, `*`, `+`, `?`, `{n}`, `{n,}`, `{n,m}`, each also lazy (without a difference for whole texts);
/// - `^` at the very beginning and `$` at the very end, without effect.
///
/// Back references, look-around, possessive quantifiers, `\b`, `\p{…}`, POSIX classes and flags are refused. With `[c]`
/// and `[d]` the text is folded, and so are the pattern's characters. A class also accepts the lower case of its
/// members (`[c]`), but its members keep their marks.
package struct RegularPattern: Hashable, Sendable {
    /// The pattern as it was written.
    package let text: String
    /// The folding of the text before the match.
    package let options: FetchTextOptions
    /// The pattern's tree, folded, for databases with regular expressions of their own.
    package let tree: RegularTree
    private let program: RegularProgram

    /// Parses a pattern and folds it by the options.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` with a caret under the wrong or refused place; also for a
    ///   pattern with too many steps.
    package init(_ text: String, _ options: FetchTextOptions) throws {
        self.text = text
        self.options = options
        var parser = RegularParser(text, options)
        tree = try parser.parse()
        guard let program = RegularProgram(tree) else {
            throw BackstitchError(
                .invalidPredicate,
                "the pattern \"\(text)\" of MATCHES repeats too much: it needs more than "
                    + "\(RegularProgram.maximumSize) steps"
            )
        }
        self.program = program
    }

    /// Whether the whole of `text` matches. Complexity: O(length of the text · size of the pattern), for every pattern.
    package func matches(_ text: String) -> Bool {
        program.matches(TextFolding.fold(text, options).unicodeScalars)
    }

    /// Compares text and options.
    package static func == (left: RegularPattern, right: RegularPattern) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8) && left.options == right.options
    }

    /// Hashes consistently with equality.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
