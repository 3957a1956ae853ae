#!/bin/sh
# Makes the passwords of the tracking service. They are made here, and are on no command line.
set -eu
umask 077
folder=/etc/clusterwright/secrets
mkdir -p $folder
cat >$folder/mlflow.ini <<END
[mlflow]
default_permission = READ
database_uri = sqlite:///$1/data/accounts.db
admin_username = admin
admin_password = $(openssl rand -hex 24)
authorization_function = mlflow.server.auth:authenticate_request_basic_auth
END
cat >$folder/tracking.env <<END
MLFLOW_TRACKING_USERNAME=training
MLFLOW_TRACKING_PASSWORD=$(openssl rand -hex 24)
END
printf 'MLFLOW_FLASK_SERVER_SECRET_KEY=%s\n' "$(openssl rand -hex 24)" >$folder/mlflow.env
