import Foundation
import TestSupport

/// Certificates of a test's own, made by `openssl`: of an authority, of a server that it signed, and of an authority
/// that nobody knows.
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
}
