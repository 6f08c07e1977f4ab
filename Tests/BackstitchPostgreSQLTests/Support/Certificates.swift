import Foundation
import TestSupport

/// Certificates made by `openssl` for a test: of an authority, of a server signed by it, and of an unknown authority.
struct Certificates {
    /// The authority's, as clients take it.
    let authority: URL
    /// Another's.
    let stranger: URL
    /// The server's, and its key.
    let server: URL, key: URL

    /// Those that were made in a folder.
    init(in folder: URL) {
        authority = folder.appending(path: "authority.crt")
        stranger = folder.appending(path: "stranger.crt")
        server = folder.appending(path: "server.crt")
        key = folder.appending(path: "server.key")
    }

    /// Makes them in the folder of a server, readable for it; the server's is for the name `host`.
    init(of server: PostgresServer, host: String) throws {
        self.init(in: server.folder)
        func file(_ name: String) -> URL { server.folder.appending(path: name) }
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        for name in ["authority", "stranger"] {
            try server.openssl(
                ["req", "-x509", "-days", "2", "-subj", "/CN=Backstitch tests: \(name)"] + curve
                    + ["-keyout", file("\(name).key").path, "-out", file("\(name).crt").path])
        }
        try server.openssl(
            ["req", "-subj", "/CN=\(host)"] + curve + ["-keyout", key.path, "-out", file("server.csr").path])
        try server.write("subjectAltName=DNS:\(host)\n", to: "names")
        try server.openssl(
            [
                "x509", "-req", "-in", file("server.csr").path, "-days", "2", "-CA", authority.path, "-CAkey",
                file("authority.key").path, "-CAcreateserial", "-extfile", file("names").path, "-out", self.server.path,
            ])
    }

    /// Makes a certificate that identifies a client as a user, and its key with a passphrase. The tests can read both.
    static func makeClient(
        of server: PostgresServer, user: String, passphrase: String
    ) throws -> (certificate: URL, file: URL) {
        func file(_ name: String) -> URL { server.folder.appending(path: name) }
        let certificate = file("client.crt"), key = file("client.key")
        try server.openssl([
            "req", "-subj", "/CN=\(user)", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-passout",
            "pass:\(passphrase)", "-keyout", key.path, "-out", file("client.csr").path,
        ])
        try server.openssl([
            "x509", "-req", "-in", file("client.csr").path, "-days", "2", "-CA", file("authority.crt").path, "-CAkey",
            file("authority.key").path, "-CAcreateserial", "-out", certificate.path,
        ])
        // A client's key is its user's alone: the tests may run as another one than the server.
        let own = file("own.key")
        let content = try Data(contentsOf: key)
        guard
            FileManager.default.createFile(
                atPath: own.path, contents: content, attributes: [.posixPermissions: 0o600])
        else { throw TestFailure("\(own.path) cannot be made") }
        return (certificate, own)
    }
}
