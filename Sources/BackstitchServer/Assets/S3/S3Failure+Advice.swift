#if TLS
extension S3Failure {
    /// A text with the failure and advice. Secrets are removed from the store's words.
    func advice(_ configuration: S3Configuration) -> String {
        let credentials = configuration.credentials
        let secrets = [credentials.accessKeyID, credentials.secretAccessKey, credentials.sessionToken ?? ""]
        let said = secrets.reduce(detail) { $1.isEmpty ? $0 : $0.replacing($1, with: "…") }
        return "\(explanation(configuration)) (\(said))"
    }

    /// The explanation of the failure, by its kind.
    private func explanation(_ configuration: S3Configuration) -> String {
        let origin = configuration.origin
        switch kind {
        case .unreachable:
            return
                "the store of assets at \(origin) cannot be reached; check its address (--s3-endpoint) and that it runs"
        case .late:
            return "the store of assets at \(origin) does not answer in time; check that it runs, and the network to it"
        case .malformed:
            return "\(origin) does not answer as S3 does; check the store's address (--s3-endpoint)"
        case .refused(let status, let code):
            return refusal(status, code, configuration)
        }
    }

    /// The explanation of a refusal, by the store's code.
    private func refusal(_ status: Int, _ code: String, _ configuration: S3Configuration) -> String {
        let bucket = configuration.bucket
        if let region, region != configuration.region {
            return "the bucket '\(bucket)' is in the region \(region); give --s3-region \(region)"
        }
        switch code {
        case "NoSuchBucket":
            return
                "there is no bucket '\(bucket)' at \(configuration.origin); make it, or give another one (--assets s3://…)"
        case "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException":
            return "the bucket '\(bucket)' is not in the region \(configuration.region); give its own (--s3-region)"
        case "InvalidAccessKeyId":
            return "the store of assets does not know the access key; check AWS_ACCESS_KEY_ID"
        case "SignatureDoesNotMatch":
            return
                "the store of assets does not take the signature; check AWS_SECRET_ACCESS_KEY, and that no proxy changes requests"
        case "ExpiredToken", "InvalidToken", "TokenRefreshRequired":
            return "the session of the access key has ended; start the server with a new AWS_SESSION_TOKEN and its key"
        case "RequestTimeTooSkewed", "RequestExpired":
            return "the clocks of this machine and of the store of assets differ too much"
                + (date.map { ": it is \($0) there" } ?? "") + "; set this machine's"
        default: break
        }
        if status == 403 || status == 401 {
            return """
                the access key may not do this with the bucket '\(bucket)'; it needs s3:ListBucket and \
                s3:ListBucketMultipartUploads of the bucket, and s3:GetObject, s3:PutObject, s3:DeleteObject and \
                s3:AbortMultipartUpload of the objects whose names begin with '\(configuration.key("*"))'
                """
        }
        return "the store of assets at \(configuration.origin) refuses a request with \(status) \(code)"
    }
}
#endif
